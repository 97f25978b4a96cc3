import { failures } from '@tessera/kernel/errors';
import { type Call, type Implementation, implement } from '@tessera/kernel/grpc';
import { isId } from '@tessera/kernel/ids';
import type { SignRequest, SignResponse, VerificationKey } from '@tessera/proto/types/keys.v1';
import { isPublished, type SigningKey } from '../../domain/signing-key.ts';
import { issuerOf } from '../../domain/signing-scope.ts';
import { acceptTokenRequest, BadTokenRequest } from '../../domain/token-request.ts';
import type { Signer } from '../../signing/signer.ts';

type Options = {
  readonly appUrl: string;
  readonly clock: () => Date;
  readonly longestLifetimeSeconds: number;
  readonly sign: Signer;
  /** Whether an API key could be exchanged now. */
  readonly isLive: (apiKeyId: string) => Promise<boolean>;
  readonly findKeys: (kids: readonly string[]) => Promise<readonly SigningKey[]>;
};

/** The services that may request signatures. */
const signers: readonly string[] = ['identity'];
const maxRequests = 1_000;

export function keysService(options: Options): Implementation {
  const { appUrl, longestLifetimeSeconds, sign } = options;
  const signOne = async (request: SignRequest): Promise<SignResponse> => {
    try {
      return await sign(acceptTokenRequest(request, { appUrl, longestLifetimeSeconds }));
    } catch (error) {
      if (error instanceof BadTokenRequest) throw failures.badInput({ cause: error, extensions: { reason: error.message } });
      throw error;
    }
  };
  return implement('keys.v1.Keys', {
    sign: async (request, call) => {
      assertMaySign(call);
      return signOne(request);
    },
    signMany: async ({ requests }, call) => {
      assertMaySign(call);
      if (requests.length > maxRequests) throw failures.badInput();
      return { responses: await Promise.all(requests.map(signOne)) };
    },
    getVerificationKey: async ({ kid }) => {
      const [key] = await findVerificationKeys([kid], options);
      if (key === undefined) throw failures.notFound('SigningKey');
      return key;
    },
    findLiveApiKeys: async ({ ids }) => {
      if (ids.length > maxRequests) throw failures.badInput();
      const live = await Promise.all(ids.map((id) => isId(id) && options.isLive(id)));
      return { ids: ids.filter((_, index) => live[index]) };
    },
    getVerificationKeys: async ({ kids }) => {
      if (kids.length > maxRequests) throw failures.badInput();
      return { keys: await findVerificationKeys(kids, options) };
    },
  });
}

/** The public halves of keys whose tokens may be accepted now. */
export async function findVerificationKeys(
  kids: readonly string[],
  { findKeys, clock, appUrl }: Pick<Options, 'findKeys' | 'clock' | 'appUrl'>,
): Promise<VerificationKey[]> {
  const wanted = kids.filter(isId);
  const found = wanted.length === 0 ? [] : await findKeys(wanted);
  return found
    .filter((key) => isPublished(key, clock()))
    .map(({ kid, scope, n, e, status, retiresAt }) => ({
      ...{ kid, issuer: issuerOf(scope, appUrl), scope, n, e, status },
      ...(retiresAt === null ? {} : { notAfter: retiresAt }),
    }));
}

function assertMaySign({ caller }: Call): void {
  if (!signers.includes(caller)) throw failures.forbidden();
}
