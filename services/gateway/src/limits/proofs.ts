/**
 * Tokens that are bound to a key (DPoP, RFC 9449). The gateway checks the proof once for each
 * request, because a GraphQL document may lead to several services and a proof works once. The
 * services learn which key was proven, and refuse a bound token without it.
 */
import { asAppError, failures, renderError, renderGraphqlError } from '@tessera/kernel/errors';
import type { Counter } from '@tessera/kernel/quota';
import { checkProof, proofAlgorithms, proofSeconds, type TokenVerifier } from '@tessera/kernel/tokens';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { languageOf } from '../edge/context.ts';
import { graphqlPath } from './hook.ts';

export type ProofOptions = {
  readonly appUrl: string;
  readonly verifier: Pick<TokenVerifier, 'verify'>;
  /** Shared by all replicas, where there are several. */
  readonly counter: Pick<Counter, 'increment'>;
  readonly clock?: () => number;
};

/** A proof is good for a minute before and after its time. */
const seen = { name: 'dpop', windowSeconds: 2 * proofSeconds + 5 } as const;

/** Answers 401 to a bound token without the scheme DPoP, and to a proof that is none. */
export function installProofs(app: FastifyInstance, options: ProofOptions): void {
  app.addHook('onRequest', (request, reply, done) => {
    const [scheme = '', token = ''] = (request.headers.authorization ?? '').split(' ');
    const isProof = scheme.toLowerCase() === 'dpop';
    if (!isProof) {
      if (token !== '' && saysItIsBound(token)) refuse(request, reply, 'invalid_token');
      else done();
      return;
    }
    prove(request, token, options).then(
      (fault) => (fault === undefined ? done() : void refuse(request, reply, fault)),
      (error: Error) => done(error),
    );
  });
}

type Fault = 'invalid_token' | 'invalid_dpop_proof';

/** What is wrong; undefined when the key is proven, and from then on the request is a Bearer's. */
async function prove(
  { raw, edge }: FastifyRequest,
  token: string,
  { appUrl, verifier, counter, clock = Date.now }: ProofOptions,
): Promise<Fault | undefined> {
  const { dpop: proof } = raw.headers;
  const keyThumbprint = await boundKeyOf(token, verifier);
  if (keyThumbprint === undefined) return 'invalid_token';
  const url = new URL(raw.url ?? '', appUrl).href;
  const checked = await checkProof(String(proof ?? ''), { method: raw.method ?? '', url, token, keyThumbprint }, clock()).catch(
    () => undefined,
  );
  if (checked === undefined) return 'invalid_dpop_proof';
  const { count } = await counter.increment(seen, checked, 1, performance.now());
  if (count > 1) return 'invalid_dpop_proof';
  edge.provenKey = keyThumbprint;
  asBearer(raw, token);
  return undefined;
}

/** The services know Bearer alone. */
function asBearer({ headers, rawHeaders }: FastifyRequest['raw'], token: string): void {
  headers.authorization = `Bearer ${token}`;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === 'authorization') rawHeaders[index + 1] = headers.authorization;
  }
}

/** A token that is none has no key. While keys cannot be read, the answer is 503. */
async function boundKeyOf(token: string, verifier: ProofOptions['verifier']): Promise<string | undefined> {
  try {
    return (await verifier.verify(token)).keyThumbprint;
  } catch (error) {
    if (asAppError(error).kind === 'unauthenticated') return undefined;
    throw error;
  }
}

/** By what it says of itself: its service verifies it, and refuses a bound token too. */
function saysItIsBound(token: string): boolean {
  const [, payload, signature] = token.split('.');
  return payload !== undefined && signature !== undefined && Buffer.from(payload, 'base64url').includes('"cnf"');
}

function refuse(request: FastifyRequest, reply: FastifyReply, fault: Fault): FastifyReply {
  const failure = failures.proofRequired();
  const language = languageOf(request.edge);
  const { status, body } = renderError(failure, language);
  const isGraphql = request.routeOptions.url === graphqlPath;
  return reply
    .code(status)
    .header('www-authenticate', `DPoP error="${fault}", algs="${proofAlgorithms.join(' ')}"`)
    .send(isGraphql ? { ...body, errors: [renderGraphqlError(failure, language)] } : body);
}
