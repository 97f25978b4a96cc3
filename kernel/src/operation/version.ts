import { failures } from '../errors/index.ts';
import type { RequestFacts } from './context.ts';

/** A thing's version: a text of its own, or else the time of its last change. */
function versionOf(thing: unknown): unknown {
  return Object(thing).version ?? Object(thing).updatedAt;
}

/** The entity tag (RFC 9110 8.8.3) of the one thing that an output is or contains, as a header. */
export function entityTagOf(output: unknown): { readonly etag?: string } {
  const version = versionOf(output) ?? Object.values(Object(output)).map(versionOf).find(Boolean);
  return version === undefined ? {} : { etag: `"${String(version)}"` };
}

/**
 * Refuses a change when the caller has seen another version of the thing (If-Match, or `ifMatch` in
 * GraphQL). `lock` reads it and holds it until the transaction ends; undefined if it is gone.
 */
export async function assertVersion({ ifMatch }: RequestFacts, lock: () => Promise<object | undefined>): Promise<void> {
  const seen = ifMatch?.split(',').map((tag) => tag.trim().replace(/^"(.*)"$/, '$1'));
  const thing = seen && (await lock());
  if (thing && !seen.includes('*') && !seen.includes(String(versionOf(thing)))) throw failures.changedMeanwhile();
}
