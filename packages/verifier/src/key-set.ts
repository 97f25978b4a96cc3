import { createPublicKey, type KeyObject } from 'node:crypto';
import { KeysUnavailable } from './errors.ts';

export type KeySetOptions = {
  /** How long a key set is believed when the issuer's Cache-Control does not say. */
  readonly defaultMaxAgeSeconds: number;
  /** Never believed longer than this, whatever the issuer says. */
  readonly longestMaxAgeSeconds: number;
  /** How much longer, while the issuer cannot be reached. */
  readonly staleIfErrorSeconds: number;
  /** At most one request in this time for kids that the set does not hold. */
  readonly cooldownSeconds: number;
  readonly timeoutMs: number;
  readonly fetch: typeof fetch;
  readonly nowMs: () => number;
};

export type KeySet = { find(kid: string): Promise<KeyObject | undefined> };

type Snapshot = {
  readonly keys: ReadonlyMap<string, KeyObject>;
  readonly etag: string | null;
  readonly fetchedAt: number;
  readonly freshUntil: number;
};

const longestBodyBytes = 262_144;
const smallestModulusBits = 2048;

/**
 * The published keys of one issuer. A kid that is held and fresh costs nothing; a stale set is read again; an unknown kid makes one
 * request within the cooldown however many callers ask, so that nobody can use us to hammer the issuer.
 */
export function createKeySet(issuer: string, options: KeySetOptions): KeySet {
  const url = `${issuer}/.well-known/jwks.json`;
  const cooldownMs = options.cooldownSeconds * 1000;
  let current: Snapshot | undefined;
  let pending: Promise<Snapshot> | undefined;
  let askedForUnknownAt = Number.NEGATIVE_INFINITY;
  let failure: { readonly at: number; readonly cause: unknown } | undefined;

  const refresh = (revalidate: boolean): Promise<Snapshot> => {
    if (failure !== undefined && options.nowMs() < failure.at + cooldownMs) return Promise.reject(failure.cause);
    pending ??= read(url, current, revalidate, options)
      .then(
        (snapshot) => {
          failure = undefined;
          current = snapshot;
          return snapshot;
        },
        (cause: unknown) => {
          failure = { at: options.nowMs(), cause };
          throw cause;
        },
      )
      .finally(() => {
        pending = undefined;
      });
    return pending;
  };

  const usable = async (): Promise<Snapshot> => {
    if (current !== undefined && options.nowMs() < current.freshUntil) return current;
    try {
      return await refresh(false);
    } catch (cause) {
      if (current !== undefined && options.nowMs() < current.freshUntil + options.staleIfErrorSeconds * 1000) return current;
      throw new KeysUnavailable(issuer, { cause });
    }
  };

  const readForUnknown = (): Promise<Snapshot> | undefined => {
    if (options.nowMs() < askedForUnknownAt + cooldownMs) return pending;
    askedForUnknownAt = options.nowMs();
    return refresh(true);
  };

  return {
    async find(kid) {
      const held = current;
      const snapshot = await usable();
      const key = snapshot.keys.get(kid);
      if (key !== undefined || snapshot !== held) return key;
      return (await readForUnknown()?.catch(() => undefined))?.keys.get(kid);
    },
  };
}

/** `revalidate` asks every cache on the way to check with the issuer: what it holds is too old for us. */
async function read(url: string, previous: Snapshot | undefined, revalidate: boolean, options: KeySetOptions): Promise<Snapshot> {
  const response = await options.fetch(url, {
    redirect: 'error',
    signal: AbortSignal.timeout(options.timeoutMs),
    headers: {
      accept: 'application/json',
      ...(previous?.etag ? { 'if-none-match': previous.etag } : {}),
      ...(revalidate ? { 'cache-control': 'no-cache' } : {}),
    },
  });
  const fetchedAt = options.nowMs();
  const freshUntil = fetchedAt + maxAgeSeconds(response.headers, options) * 1000;
  if (response.status === 304 && previous !== undefined) return { ...previous, fetchedAt, freshUntil };
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
  return { keys: importKeys(await boundedJson(response)), etag: response.headers.get('etag'), fetchedAt, freshUntil };
}

function maxAgeSeconds(headers: Headers, { defaultMaxAgeSeconds, longestMaxAgeSeconds }: KeySetOptions): number {
  const stated = /(?:^|[\s,])max-age=(\d+)/i.exec(headers.get('cache-control') ?? '')?.[1];
  const age = Number(headers.get('age') ?? 0);
  const seconds = stated === undefined ? defaultMaxAgeSeconds : Number(stated) - (Number.isFinite(age) ? age : 0);
  return Math.min(Math.max(seconds, 0), longestMaxAgeSeconds);
}

async function boundedJson(response: Response): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > longestBodyBytes) throw new Error('The key set is too large');
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

/** Keys that are no RSA signing keys of at least 2048 bits are left out: they could never verify one of our tokens. */
function importKeys(body: unknown): ReadonlyMap<string, KeyObject> {
  const list = typeof body === 'object' && body !== null && 'keys' in body ? body.keys : undefined;
  if (!Array.isArray(list)) throw new Error('The key set has no keys');
  const keys = new Map<string, KeyObject>();
  for (const jwk of list as readonly Readonly<Record<string, unknown>>[]) {
    const { kty, kid, use, alg, n, e } = jwk;
    if (kty !== 'RSA' || typeof kid !== 'string' || typeof n !== 'string' || typeof e !== 'string') continue;
    if ((use !== undefined && use !== 'sig') || (alg !== undefined && alg !== 'RS256')) continue;
    const key = createPublicKey({ key: { kty, n, e }, format: 'jwk' });
    if ((key.asymmetricKeyDetails?.modulusLength ?? 0) >= smallestModulusBits) keys.set(kid, key);
  }
  return keys;
}
