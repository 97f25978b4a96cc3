/**
 * The content of the opaque token that a write returns: the tenant that it changed, and the version
 * after it.
 */
export type Consistency = { readonly tenant: string; readonly id: string; readonly version: number };

export function encodeConsistency({ tenant, id, version }: Consistency): string {
  return Buffer.from(`${tenant} ${id} ${version}`, 'utf8').toString('base64url');
}

/**
 * The oldest state that may answer a check: these versions; with `isFresh` only the current state.
 */
export type Demand = { readonly versions: readonly Consistency[]; readonly isFresh: boolean };

const noDemand: Demand = Object.freeze({ versions: [], isFresh: false });
const freshDemand: Demand = Object.freeze({ versions: [], isFresh: true });

/** In characters: room for the tokens of all mutations of one GraphQL document. */
const maxLength = 2_000;

/**
 * A write of another service returns its time instead of a version. Caches here are at most a
 * second old, so an older time demands nothing; the rest is room for clocks that differ.
 */
const momentCountsMs = 30_000;

/**
 * Reads one token or several, joined by '.', or by ',' when the header was sent more than once.
 * Text that is no token demands nothing. A text that is too long to be read demands a fresh answer.
 */
export function decodeConsistency(text: string | undefined, nowMs: number): Demand {
  if (text === undefined || text === '') return noDemand;
  if (text.length > maxLength) return freshDemand;
  const versions: Consistency[] = [];
  let isFresh = false;
  for (const token of text.split(/[.,]/)) {
    const [tenant = '', id = '', version, ...rest] = Buffer.from(token, 'base64url').toString('utf8').split(' ');
    if (tenant === 'at') isFresh ||= Math.abs(nowMs - Number(id)) < momentCountsMs;
    else if (Number.isSafeInteger(Number(version)) && rest.length === 0) versions.push({ tenant, id, version: Number(version) });
  }
  return { versions, isFresh };
}
