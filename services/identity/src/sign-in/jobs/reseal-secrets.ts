/**
 * Encrypts the secrets of authenticator apps and of connections again after a rotation of
 * AUTH_FACTOR_SECRETS, on one replica at a time. Each run is one transaction over one batch: a
 * crash loses at most that batch, and the next run finds what is left.
 */
import { everySeconds, type Job, startJob } from '@tessera/kernel/events';
import type { Database, Transaction } from '@tessera/kernel/postgres';
import type { Logger } from '@tessera/kernel/telemetry';
import type { SecretsAtRest } from '../secrets-at-rest.ts';
import { lockConnectionsSealedBefore, replaceConnectionSecret } from '../storage/connections.ts';
import { lockTotpsSealedBefore, replaceTotpSecret, type SealedSecret } from '../storage/second-factors.ts';

type Sealed = SealedSecret & { readonly id: string };
export type Store = {
  readonly things: string;
  lock(tx: Transaction, keyId: string, after: string | undefined, most: number): Promise<readonly Sealed[]>;
  replace(tx: Transaction, id: string, sealed: SealedSecret): Promise<void>;
};
export const factorStore: Store = { things: 'authenticator apps', lock: lockTotpsSealedBefore, replace: replaceTotpSecret };
export const connectionStore: Store = { things: 'connections', lock: lockConnectionsSealedBefore, replace: replaceConnectionSecret };

type Resealed = { readonly resealed: number; readonly unreadable: number; readonly isMore: boolean; readonly last: string | undefined };

const batch = 500;

/** `after` goes on behind a row; without it a batch of unreadable ones would hide the others. */
export async function resealBatch(tx: Transaction, store: Store, secrets: SecretsAtRest, after: string | undefined): Promise<Resealed> {
  const due = await store.lock(tx, secrets.keyId, after, batch);
  let resealed = 0;
  for (const row of due) {
    const secret = opened(secrets, row);
    if (secret === undefined) continue;
    await store.replace(tx, row.id, secrets.seal(row.id, secret));
    resealed += 1;
  }
  return { resealed, unreadable: due.length - resealed, isMore: due.length === batch, last: due.at(-1)?.id };
}

function opened(secrets: SecretsAtRest, row: Sealed): string | undefined {
  try {
    return secrets.open(row.id, row);
  } catch {
    return undefined;
  }
}

type Options = {
  readonly database: Database;
  readonly factorSecrets: SecretsAtRest;
  readonly connectionSecrets: SecretsAtRest;
  readonly logger: Logger;
};
type Task = { readonly store: Store; readonly secrets: SecretsAtRest };

export function startResealing({ database, factorSecrets, connectionSecrets, logger }: Options): Job {
  const [first, ...others]: [Task, ...Task[]] = [
    { store: factorStore, secrets: factorSecrets },
    { store: connectionStore, secrets: connectionSecrets },
  ];
  return startJob({
    db: database,
    logger,
    name: 'identity.reseal-factors',
    schedule: everySeconds(600),
    // The first batch commits with the job's slot, the others each by themselves.
    run: async (tx) => {
      const done = await resealBatch(tx, first.store, first.secrets, undefined);
      return async () => {
        await finish(done, first, { database, logger });
        for (const task of others) await finish(nothing, task, { database, logger });
      };
    },
  });
}

const nothing: Resealed = { resealed: 0, unreadable: 0, isMore: true, last: undefined };

async function finish(
  first: Resealed,
  { store, secrets }: Task,
  { database, logger }: Pick<Options, 'database' | 'logger'>,
): Promise<void> {
  let { resealed, unreadable, isMore, last } = first;
  while (isMore) {
    const next = await database.transaction((tx) => resealBatch(tx, store, secrets, last));
    resealed += next.resealed;
    unreadable += next.unreadable;
    ({ isMore, last } = next);
  }
  const { things } = store;
  if (resealed > 0) logger.info({ resealed }, `secrets of ${things} are sealed anew, under the first of AUTH_FACTOR_SECRETS`);
  if (unreadable > 0) logger.error({ unreadable }, `${things} are sealed under a key that AUTH_FACTOR_SECRETS does not hold`);
}
