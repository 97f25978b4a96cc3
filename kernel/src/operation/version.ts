import { failures } from '../errors/index.ts';
import type { RequestFacts } from './context.ts';
import type { RestBinding } from './declaration.ts';
import { isRecord } from './validate.ts';

/** A thing's version: a text of its own, or else the time of its last change. */
function versionOf(thing: unknown): unknown {
  return isRecord(thing) ? (thing.version ?? thing.updatedAt) : undefined;
}

/** The entity tag (RFC 9110 8.8.3) of the one thing that an output is or contains. */
export function entityTagOf(output: unknown): string | undefined {
  const version = versionOf(output) ?? versionWithin(output);
  return version === undefined ? undefined : `"${String(version)}"`;
}

function versionWithin(output: unknown): unknown {
  if (!isRecord(output)) return undefined;
  for (const name in output) {
    const version = versionOf(output[name]);
    if (version) return version;
  }
  return undefined;
}

/** Operations that take If-Match (in GraphQL `ifMatch`): every PATCH, and who declares it. */
export function isVersioned({ rest, versioned }: { readonly rest: RestBinding; readonly versioned?: true | undefined }): boolean {
  return versioned === true || ('method' in rest && rest.method === 'PATCH');
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
