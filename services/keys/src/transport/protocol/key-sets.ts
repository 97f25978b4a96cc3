import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { keySetOf, type SigningKey } from '../../domain/signing-key.ts';
import { issuerOf, type SigningScope } from '../../domain/signing-scope.ts';

/** Written once, whoever asks. As a string it goes out in one piece with the head of the answer, where a Buffer would be a second. */
export type KeySetDocument = { readonly body: string; readonly etag: string };

export type KeySets = {
  /** The JWKS of a scope as it is sent; undefined when there is no such project. */
  read(scope: SigningScope): Promise<KeySetDocument | undefined>;
  forget(issuer: string): void;
};

type Options = {
  readonly appUrl: string;
  readonly clock: () => Date;
  readonly listKeys: (scope: SigningScope) => Promise<SigningKey[]>;
  readonly scopeExists: (scope: SigningScope) => Promise<boolean>;
};

/** How long a replica serves what it rendered when no notice comes. */
const keptMs = 2_000;
const setsKept = 10_000;

/** Renders each JWKS once for all who ask within two seconds; a rotation anywhere drops it at once. */
export function createKeySets({ appUrl, clock, listKeys, scopeExists }: Options): KeySets {
  const documents = new LRUCache<string, Promise<KeySetDocument | undefined>>({
    max: setsKept,
    ttl: keptMs,
    ttlResolution: 0,
    perf: { now: () => clock().getTime() },
  });

  async function render(scope: SigningScope): Promise<KeySetDocument | undefined> {
    const keys = await listKeys(scope);
    // What has keys exists, for they go with it: verifiers can read them while tenancy is away.
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
