/**
 * A server that follows the primary, and how far behind it is. docs/decisions/045: it answers only
 * work that may see the past, and only when what it knows is young enough.
 */
import type pg from 'pg';
import { sendBatch } from './batch.ts';
import { type Connections, connect, createPool, type DatabaseOptions, release } from './pool.ts';
import { bind, sql } from './statement.ts';

/** No answer is older, whatever the caller would accept. */
export const oldestReadMs = 5_000;
const looksEveryMs = 1_000;

// Of the primary: it fails on a server that follows. The identifier is that of the cluster.
const written = sql(`SELECT (pg_current_wal_lsn() - '0/0')::text AS position, (pg_control_system()).system_identifier::text AS cluster`);
// No row from a server that was promoted: it does not follow any more.
const replayed = sql(
  `SELECT (pg_last_wal_replay_lsn() - '0/0')::text AS position, (pg_control_system()).system_identifier::text AS cluster
   WHERE pg_is_in_recovery()`,
);

type Position = { readonly position: string; readonly cluster: string };
type Moment = { readonly atMs: number; readonly position: bigint };

export type Replica = {
  readonly connections: Connections;
  /** Milliseconds since the moment up to which it knows everything; Infinity: not known. */
  ageMs(): number;
  /** It is not used until it was looked at again. */
  distrust(): void;
  readonly counts: { read: number; failed: number };
  close(): Promise<void>;
};

/**
 * Looks once a second at what the primary has written and what the replica has replayed. The
 * replica knows everything up to the newest moment at which the primary had written no more. The
 * time of the last replayed transaction would say less: on a quiet primary it grows by itself, and
 * on a replica that was cut off nothing is left to replay.
 */
export function createReplica(options: DatabaseOptions & { readonly replicaUrl: string }): Replica {
  const connections = createPool({ ...options, url: options.replicaUrl }, { follows: true });
  // One of its own: when all others are lent, the replica is needed most.
  const primary = createPool({ ...options, poolSize: 1 });
  const moments: Moment[] = [];
  let knownAtMs = -Infinity;
  let isLooking = false;
  let isForeign = false;

  async function look(): Promise<void> {
    const atMs = performance.now();
    const [at] = await positionsOf(primary, written);
    const [seen] = await positionsOf(connections, replayed);
    if (at === undefined) return;
    if (at.cluster !== seen?.cluster) {
      knownAtMs = -Infinity;
      if (seen !== undefined && !isForeign)
        options.logger?.error({ primary: at.cluster, replica: seen.cluster }, 'the replica belongs to another database');
      isForeign = seen !== undefined;
      return;
    }
    isForeign = false;
    moments.push({ atMs, position: BigInt(at.position) });
    while (moments.length > (2 * oldestReadMs) / looksEveryMs) moments.shift();
    const replayedTo = BigInt(seen.position);
    knownAtMs = moments.findLast(({ position }) => position <= replayedTo)?.atMs ?? -Infinity;
  }

  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    // What cannot be looked at grows old.
    void look()
      .catch(() => undefined)
      .finally(() => {
        isLooking = false;
      });
  }, looksEveryMs);
  timer.unref();

  return {
    connections,
    ageMs: () => performance.now() - knownAtMs,
    distrust: () => {
      knownAtMs = -Infinity;
    },
    counts: { read: 0, failed: 0 },
    close: async () => {
      clearInterval(timer);
      await Promise.all([primary.pool.end(), connections.pool.end()]);
    },
  };
}

async function positionsOf(connections: Connections, statement: typeof written): Promise<readonly Position[]> {
  const client: pg.PoolClient = await connect(connections);
  let isClean = false;
  try {
    const [result] = await sendBatch(client, [bind(statement)]);
    isClean = true;
    return (result?.rows ?? []) as readonly Position[];
  } finally {
    release(connections, client, isClean);
  }
}
