import { failures } from '@tessera/kernel/errors';
import { type Call, type Implementation, implement } from '@tessera/kernel/grpc';
import { isId } from '@tessera/kernel/ids';
import type {
  KeySubject,
  ListKeySubjectsRequest,
  SignIdTokenRequest,
  SignRequest,
  SignResponse,
  VerificationKey,
} from '@tessera/proto/types/keys.v1';
import { acceptIdToken } from '../../domain/id-token-request.ts';
import { isPublished, type SigningKey, sortPublished } from '../../domain/signing-key.ts';
import { issuerOf, type SigningScope } from '../../domain/signing-scope.ts';
import { acceptTokenRequest, BadTokenRequest, signingScope } from '../../domain/token-request.ts';
import type { Keyring } from '../../signing/keyring.ts';
import { type AssertUses, type Signer, signInput } from '../../signing/signer.ts';

type Options = {
  readonly appUrl: string;
  readonly clock: () => Date;
  readonly longestLifetimeSeconds: number;
  readonly sign: Signer;
  readonly assertUses: AssertUses;
  /** Whether an API key could be exchanged now. */
  readonly isLive: (apiKeyId: string) => Promise<boolean>;
  readonly listSubjects: (page: SubjectPage) => Promise<KeySubject[]>;
  readonly countApiKeys: (projects: readonly ProjectIds[]) => Promise<number>;
  readonly findKeys: (kids: readonly string[]) => Promise<readonly SigningKey[]>;
  readonly listKeys: (scope: SigningScope) => Promise<readonly SigningKey[]>;
  readonly keyring: Pick<Keyring, 'activeKey' | 'activeEllipticKey' | 'addEllipticKeys'>;
};

export type SubjectPage = {
  readonly parentId: string;
  readonly projectId: string;
  readonly ids: readonly string[];
  readonly after: string;
  readonly limit: number;
};

export type ProjectIds = { readonly parentId: string; readonly projectId: string };

/** The services that may request signatures. */
const signers: readonly string[] = ['identity'];
const maxRequests = 1_000;

export function keysService(options: Options): Implementation {
  const { appUrl, longestLifetimeSeconds, sign } = options;
  const signOne = (request: SignRequest): Promise<SignResponse> =>
    refusing(() => sign(acceptTokenRequest(request, { appUrl, longestLifetimeSeconds })));
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
    listKeySubjects: async (request) => ({ subjects: await options.listSubjects(readPage(request)) }),
    countApiKeys: async ({ scopeIds }) => ({ count: await options.countApiKeys(scopeIds.map(readProject)) }),
    listPublishedKeys: async ({ scope }, call) => {
      assertMaySign(call);
      return refusing(() => listPublishedKeys(signingScope(scope ?? { tenant: '', id: '' }), options));
    },
    signIdToken: async (request, call) => {
      assertMaySign(call);
      return refusing(() => signIdToken(request, options));
    },
    getVerificationKeys: async ({ kids }) => {
      if (kids.length > maxRequests) throw failures.badInput();
      return { keys: await findVerificationKeys(kids, options) };
    },
  });
}

function readProject(scopeId: string): ProjectIds {
  const [parentId = '', projectId = '', ...more] = scopeId.split(':');
  if (![parentId, projectId].every(isId) || more.length > 0) throw failures.badInput();
  return { parentId, projectId };
}

function readPage({ tenant, id, ids, after, limit }: ListKeySubjectsRequest): SubjectPage {
  const { parentId, projectId } = readProject(id);
  const isProject = tenant === 'accountProject' || tenant === 'organizationProject';
  const areIds = [...ids, ...(after === '' ? [] : [after])].every(isId);
  if (!isProject || !areIds || ids.length > maxRequests || limit < 1 || limit > maxRequests) throw failures.badInput();
  return { parentId, projectId, ids, after, limit };
}

/** The public halves of keys whose tokens may be accepted now. */
export async function findVerificationKeys(
  kids: readonly string[],
  { findKeys, clock, appUrl }: Pick<Options, 'findKeys' | 'clock' | 'appUrl'>,
): Promise<VerificationKey[]> {
  const wanted = kids.filter(isId);
  const found = wanted.length === 0 ? [] : await findKeys(wanted);
  return found.filter((key) => isPublished(key, clock())).map((key) => publicHalf(key, appUrl));
}

function publicHalf({ kid, scope, n, e, status, retiresAt }: SigningKey, appUrl: string): VerificationKey {
  return { kid, issuer: issuerOf(scope, appUrl), scope, n, e, status, ...(retiresAt === null ? {} : { notAfter: retiresAt }) };
}

/** The keys of P-256 stand beside those that they belong to: nothing else knows them. */
async function listPublishedKeys(scope: SigningScope, { keyring, listKeys, clock, appUrl }: Options) {
  await keyring.activeKey(scope);
  await keyring.addEllipticKeys(scope);
  const published = sortPublished(await listKeys(scope), clock());
  return { keys: published.map((key) => ({ ...publicHalf(key, appUrl), ...(key.es256 === null ? {} : { es256: key.es256 }) })) };
}

/** The header names its key already. A key that was rotated meanwhile signs no more. */
async function signIdToken({ scope, signingInput }: SignIdTokenRequest, options: Options) {
  const place = signingScope(scope ?? { tenant: '', id: '' });
  const { kid: named, alg, usedScope } = acceptIdToken(place, signingInput, options);
  const { kid, privateKey, isSuspended } = await (alg === 'ES256'
    ? options.keyring.activeEllipticKey(place)
    : options.keyring.activeKey(place));
  if (isSuspended) throw failures.tenantSuspended();
  if (kid !== named) throw failures.conflict('SigningKey', 'kid');
  if (usedScope !== undefined) await options.assertUses(usedScope, place);
  return { signature: await signInput(alg, privateKey, signingInput) };
}

async function refusing<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BadTokenRequest) throw failures.badInput({ cause: error, extensions: { reason: error.message } });
    throw error;
  }
}

function assertMaySign({ caller }: Call): void {
  if (!signers.includes(caller)) throw failures.forbidden();
}
