import { createLocalJWKSet, createRemoteJWKSet, customFetch, errors, type FetchImplementation, type JWTVerifyGetKey } from 'jose';
import { KeysUnavailable } from './errors.ts';

export type RemoteKeysOptions = {
  /** How long a key set is used when the issuer sends no max-age. */
  readonly defaultMaxAgeSeconds: number;
  /** The upper bound of max-age. */
  readonly longestMaxAgeSeconds: number;
  /** How much longer the last key set is used while the issuer cannot be reached. */
  readonly staleIfErrorSeconds: number;
  /** The shortest time between two requests for unknown kids, and after a failed request. */
  readonly cooldownSeconds: number;
  readonly timeoutMs: number;
  readonly fetch: typeof fetch;
  readonly nowMs: () => number;
};

const largestBodyBytes = 262_144;

/**
 * The published keys of one issuer. jose requests, caches, selects and imports them. This function
 * adds what jose leaves out: max-age from Cache-Control, the last key set while the issuer is down,
 * a pause after failures and a bound on the body.
 */
export function createRemoteKeys(issuer: string, options: RemoteKeysOptions): JWTVerifyGetKey {
  const { nowMs, cooldownSeconds, staleIfErrorSeconds } = options;
  let freshUntilMs = Number.NEGATIVE_INFINITY;
  let failure: { readonly atMs: number; readonly cause: unknown } | undefined;

  const fetchKeys: FetchImplementation = async (url, init) => {
    if (failure !== undefined && nowMs() < failure.atMs + cooldownSeconds * 1000) throw failure.cause;
    try {
      const headers = new Headers(init.headers);
      // A key set that is still fresh lacks a kid: caches on the way must ask the issuer again.
      if (nowMs() < freshUntilMs) headers.set('cache-control', 'no-cache');
      const response = await options.fetch(url, { ...init, headers });
      if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
      const keySet = JSON.parse(await readBounded(response));
      createLocalJWKSet(keySet); // throws unless it is a key set
      freshUntilMs = nowMs() + maxAgeSeconds(response.headers, options) * 1000;
      failure = undefined;
      return Response.json(keySet);
    } catch (cause) {
      failure = { atMs: nowMs(), cause };
      throw cause;
    }
  };
  const remote = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`), {
    cooldownDuration: cooldownSeconds * 1000,
    cacheMaxAge: Number.POSITIVE_INFINITY, // freshUntilMs decides
    timeoutDuration: options.timeoutMs,
    [customFetch]: fetchKeys,
  });

  return async (header, token) => {
    try {
      if (nowMs() >= freshUntilMs) await remote.reload();
      return await remote(header, token);
    } catch (cause) {
      if (cause instanceof errors.JWKSNoMatchingKey || cause instanceof errors.JWKSMultipleMatchingKeys) throw cause;
      const last = remote.jwks();
      if (last === undefined || nowMs() >= freshUntilMs + staleIfErrorSeconds * 1000) throw new KeysUnavailable(issuer, { cause });
      return createLocalJWKSet(last)(header, token);
    }
  };
}

function maxAgeSeconds(headers: Headers, { defaultMaxAgeSeconds, longestMaxAgeSeconds }: RemoteKeysOptions): number {
  const stated = /(?:^|[\s,])max-age=(\d+)/i.exec(headers.get('cache-control') ?? '')?.[1];
  const age = Number(headers.get('age') ?? 0);
  const seconds = stated === undefined ? defaultMaxAgeSeconds : Number(stated) - (Number.isFinite(age) ? age : 0);
  return Math.min(Math.max(seconds, 0), longestMaxAgeSeconds);
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > largestBodyBytes) throw new Error('The key set is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
