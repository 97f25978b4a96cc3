import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { keySetOf, type SigningKey } from '../../domain/signing-key.ts';
import { issuerOf, type SigningScope } from '../../domain/signing-scope.ts';

/**
 * A rendered JWKS. A string is sent in one packet with the response head, a Buffer in a second one.
 */
export type KeySetDocument = { readonly body: string; readonly etag: string };

export type KeySets = {
  /** The JWKS of a scope; undefined when there is no such project. */
  read(scope: SigningScope): Promise<KeySetDocument | undefined>;
  forget(issuer: string): void;
};

type Options = {
  readonly appUrl: string;
  readonly clock: () => Date;
  readonly listKeys: (scope: SigningScope) => Promise<SigningKey[]>;
  readonly scopeExists: (scope: SigningScope) => Promise<boolean>;
};

/** How long a replica serves a rendered JWKS when no notice arrives. */
const ttlMs = 2_000;
const maxSets = 10_000;

/** Renders each JWKS at most once in two seconds; a notice of a rotation drops it at once. */
export function createKeySets({ appUrl, clock, listKeys, scopeExists }: Options): KeySets {
  const documents = new LRUCache<string, Promise<KeySetDocument | undefined>>({
    max: maxSets,
    ttl: ttlMs,
    ttlResolution: 0,
    perf: { now: () => clock().getTime() },
  });

  async function render(scope: SigningScope): Promise<KeySetDocument | undefined> {
    const keys = await listKeys(scope);
    // A project with keys exists, because its deletion removes them: its JWKS is served while
    // tenancy is down.
    if (keys.length === 0 && !(await scopeExists(scope))) return undefined;
    return documentOf(JSON.stringify(keySetOf(keys, clock())));
  }

  return {
    read(scope) {
      const issuer = issuerOf(scope, appUrl);
      const known = documents.get(issuer);
      if (known !== undefined) return known;
      const rendering = render(scope);
      documents.set(issuer, rendering);
      rendering.catch(() => {
        if (documents.peek(issuer) === rendering) documents.delete(issuer);
      });
      return rendering;
    },
    forget: (issuer) => void documents.delete(issuer),
  };
}

function documentOf(body: string): KeySetDocument {
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"` };
}
