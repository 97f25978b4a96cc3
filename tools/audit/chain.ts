/** Follows the hash chains of one service's audit log and names what is not as it was sealed. */
import { createHash } from 'node:crypto';
import type { Client } from 'pg';

export type Fault = {
  readonly kind: 'changed' | 'removed' | 'inserted' | 'link removed' | 'end removed';
  readonly chain: string;
  readonly position: string | null;
  readonly id: string | null;
  readonly at: string | null;
};
export type Head = { readonly chain: string; readonly position: string; readonly hash: string };
export type Verdict = { readonly rows: number; readonly heads: readonly Head[]; readonly faults: readonly Fault[] };

type Link = {
  readonly chain: string;
  readonly position: string;
  readonly id: string;
  readonly at: string;
  readonly hash: Buffer;
  readonly digest: Buffer | null;
  readonly isFirstKept: boolean;
};

const linksAtOnce = 5_000;

/** Written here a second time: who can change rows could change the database's function too. */
const digest = `sha256(convert_to(jsonb_build_array(
  r.id, (extract(epoch FROM r.at) * 1000000)::bigint, r.operation, r.action, r.outcome, r.code, r.actor_id, r.actor_type, r.token_id, r.scope_tenant,
  r.scope_id, r.target_type, r.target_id, r.ip_address, r.user_agent, r.request_id, r.detail, r.changes, r.app_id)::text, 'UTF8'))`;

/** The month that retention has kept longest; rows near its begin may follow rows that are gone. */
const firstKept = `coalesce((SELECT min(coalesce(substring(pg_get_expr(c.relpartbound, c.oid) FROM $re$FROM \\('([^']+)'\\)$re$)::timestamptz, '-infinity'))
  FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid WHERE inhparent = 'audit_seals'::regclass), '-infinity')`;

function hashOf(before: Buffer, link: Buffer): Buffer {
  return createHash('sha256').update(before).update(link).digest();
}

async function linksAfter(client: Client, chain: string, position: string): Promise<readonly Link[]> {
  const { rows } = await client.query<Link>(
    `SELECT s.chain, s.position, s.audit_id AS id, to_char(s.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at, s.hash,
       CASE WHEN r.id IS NOT NULL AND coalesce(r.tenant_id, '') = s.chain THEN ${digest} END AS digest,
       s.at < ${firstKept} + interval '15 minutes' AS "isFirstKept"
     FROM audit_seals s LEFT JOIN audit_log r ON r.id = s.audit_id AND r.at = s.at
     WHERE (s.chain, s.position) > ($1, $2::bigint) ORDER BY s.chain, s.position LIMIT ${linksAtOnce}`,
    [chain, position],
  );
  return rows;
}

/** Reads in portions. `client` has the service's schema as its search path. */
export async function verifyChains(client: Client): Promise<Verdict> {
  const faults: Fault[] = [];
  const ends = new Map<string, { position: string; hash: Buffer }>();
  let [rows, chain, position] = [0, '', '-1'];
  for (let links = await linksAfter(client, chain, position); links.length > 0; links = await linksAfter(client, chain, position)) {
    for (const link of links) {
      const before = ends.get(link.chain);
      const isNext = BigInt(link.position) === BigInt(before?.position ?? 0) + 1n;
      const name = { chain: link.chain, position: link.position, id: link.id, at: link.at };
      if (!isNext && !link.isFirstKept) faults.push({ kind: 'link removed', ...name });
      if (link.digest === null) faults.push({ kind: 'removed', ...name });
      else if (isNext && !hashOf(before?.hash ?? Buffer.alloc(0), link.digest).equals(link.hash)) faults.push({ kind: 'changed', ...name });
      ends.set(link.chain, { position: link.position, hash: link.hash });
      ({ chain, position } = link);
    }
    rows += links.length;
  }
  return { rows, heads: headsOf(ends), faults: [...faults, ...(await cutEnds(client, ends)), ...(await unsealed(client))] };
}

function headsOf(ends: ReadonlyMap<string, { position: string; hash: Buffer }>): readonly Head[] {
  return [...ends].map(([chain, { position, hash }]) => ({ chain, position, hash: hash.toString('hex') }));
}

async function cutEnds(client: Client, ends: ReadonlyMap<string, { position: string; hash: Buffer }>): Promise<readonly Fault[]> {
  const { rows } = await client.query<{ chain: string; position: string; hash: Buffer }>('SELECT chain, position, hash FROM audit_chains');
  const stays = await client.query<{ all: boolean }>(`SELECT ${firstKept} = '-infinity' AS all`);
  return rows.flatMap(({ chain, position, hash }) => {
    const end = ends.get(chain);
    // Retention may have taken a whole chain.
    if (end === undefined && stays.rows[0]?.all !== true) return [];
    const isEnd = end !== undefined && (BigInt(end.position) > BigInt(position) || (end.position === position && end.hash.equals(hash)));
    return isEnd ? [] : [{ kind: 'end removed', chain, position, id: null, at: null } as const];
  });
}

/** Sealing takes less than a minute: an older row without a link came past the service. */
async function unsealed(client: Client): Promise<readonly Fault[]> {
  const { rows } = await client.query<{ chain: string; id: string; at: string }>(
    `SELECT coalesce(r.tenant_id, '') AS chain, r.id, to_char(r.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at FROM audit_log r
     WHERE r.at < least((SELECT max(at) FROM audit_seals), now()) - interval '11 minutes'
       AND NOT EXISTS (SELECT FROM audit_seals s WHERE s.audit_id = r.id AND s.at = r.at) ORDER BY r.at LIMIT 1000`,
  );
  return rows.map((row) => ({ kind: 'inserted', position: null, ...row }));
}

/** Heads that were noted earlier and that the chain no longer has: it was written anew. */
export async function rewritten(client: Client, noted: readonly Head[]): Promise<readonly Head[]> {
  const { rows } = await client.query<{ chain: string; position: string; hash: string }>(
    `SELECT n.chain, n.position::text, n.hash FROM jsonb_to_recordset($1::jsonb) AS n (chain text, position bigint, hash text)
     WHERE NOT EXISTS (SELECT FROM audit_seals s WHERE s.chain = n.chain AND s.position = n.position AND encode(s.hash, 'hex') = n.hash)`,
    [JSON.stringify(noted)],
  );
  return rows;
}
