/** The opaque token that a write here answers: which tenant it changed, and its version afterwards. */
export type Consistency = { readonly tenant: string; readonly id: string; readonly version: number };

export function encodeConsistency({ tenant, id, version }: Consistency): string {
  return Buffer.from(`${tenant} ${id} ${version}`, 'utf8').toString('base64url');
}

/** What a check must not be older than: these versions, or, for `isFresh`, the moment of the check itself. */
export type Demand = { readonly versions: readonly Consistency[]; readonly isFresh: boolean };

const nothing: Demand = Object.freeze({ versions: [], isFresh: false });
const anew: Demand = Object.freeze({ versions: [], isFresh: true });

/** As many as the fields that one document may write with. */
const longest = 2_000;

/**
 * A write of another service names a moment in place of a version. No memory here is older than a second, so after this long,
 * which leaves room for clocks that differ, the moment demands nothing any more.
 */
const momentCountsMs = 30_000;

/**
 * Reads one token, or several: joined by '.', or by ',' where the header came more than once. What is no token demands nothing; more than
 * anybody reads demands a fresh answer.
 */
export function decodeConsistency(text: string | undefined, nowMs: number): Demand {
  if (text === undefined || text === '') return nothing;
  if (text.length > longest) return anew;
  const versions: Consistency[] = [];
  let isFresh = false;
  for (const token of text.split(/[.,]/)) {
    const [tenant = '', id = '', version, ...rest] = Buffer.from(token, 'base64url').toString('utf8').split(' ');
    if (tenant === 'at') isFresh ||= Math.abs(nowMs - Number(id)) < momentCountsMs;
    else if (Number.isSafeInteger(Number(version)) && rest.length === 0) versions.push({ tenant, id, version: Number(version) });
  }
  return { versions, isFresh };
}
