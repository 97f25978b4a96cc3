import { everySeconds, type Job, startJob } from '@tessera/kernel/events';
import type { Envelope } from '@tessera/kernel/guard';
import type { Database } from '@tessera/kernel/postgres';
import { Cron } from 'croner';
import { systemScope } from '../domain/signing-scope.ts';
import type { KeyNotices } from '../signing/key-notices.ts';
import { createSigningKey } from '../signing/key-pair.ts';
import type { Keyring } from '../signing/keyring.ts';
import { removeDeletedKeys } from '../storage/api-keys.ts';
import { deleteExpiredRevocations } from '../storage/revocations.ts';
import { auditKey } from '../storage/signing-key-audit-logs.ts';
import { listSigningKeys, removeRetiredKeys } from '../storage/signing-keys.ts';
import { resealAll } from './reseal.ts';

type Logger = {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
};

export type JobsOptions = {
  readonly db: Database;
  readonly envelope: Envelope;
  readonly keyring: Keyring;
  readonly keyNotices: KeyNotices;
  readonly clock: () => Date;
  readonly logger: Logger;
  /** As a rotation by an operation is counted. */
  readonly countOperation: (operation: string, outcome: string) => void;
  /** Cron, in UTC. Undefined: the system's key is not rotated by schedule. */
  readonly rotationSchedule: string | undefined;
  /** Verifiers may cache a JWKS this long: a younger next key is not known to all of them. */
  readonly jwksMaxAgeSeconds: number;
};

const deletedKeysKeptMs = 90 * 86_400_000;

/** Each job runs on one replica at a time. */
export function startJobs(options: JobsOptions): readonly Job[] {
  const { db, envelope, clock, logger, rotationSchedule } = options;
  const reseal = startJob({
    db,
    logger,
    name: 'keys.reseal',
    schedule: everySeconds(600),
    run: async (tx) => {
      const count = await resealAll(tx, envelope);
      return count === 0 ? undefined : () => logger.info({ count }, 'sealed anew under the first encryption key');
    },
  });
  const cleanUp = startJob({
    db,
    logger,
    name: 'keys.clean-up',
    schedule: everySeconds(600),
    run: async (tx) => {
      const now = clock();
      for (const key of await removeRetiredKeys(tx, now)) await auditKey(tx, key, 'retired', { cause: 'retention' }, now);
      await deleteExpiredRevocations(tx, now);
      await removeDeletedKeys(tx, new Date(now.getTime() - deletedKeysKeptMs));
      return undefined;
    },
  });
  return rotationSchedule === undefined ? [reseal, cleanUp] : [reseal, cleanUp, startRotation(options, rotationSchedule)];
}

/**
 * Runs once per slot of the schedule. Skips a slot from before the key's activation, or before all
 * verifiers know the next key.
 */
function startRotation(options: JobsOptions, pattern: string): Job {
  const { db, envelope, keyring, keyNotices, clock, logger, countOperation, jwksMaxAgeSeconds } = options;
  const cron = new Cron(pattern, { paused: true, timezone: 'UTC' });
  return startJob({
    db,
    logger,
    name: 'keys.rotate-system',
    schedule: (now: Date) => cron.previousRuns(1, now)[0],
    run: async (tx, dueAt) => {
      const now = clock();
      const keys = await listSigningKeys(tx, systemScope);
      const active = keys.find(({ status }) => status === 'active');
      const next = keys.find(({ status }) => status === 'next');
      const isDue = active?.activatedAt != null && Date.parse(active.activatedAt) < dueAt.getTime();
      const isKnown = next !== undefined && Date.parse(next.createdAt) + jwksMaxAgeSeconds * 1000 <= now.getTime();
      if (!isDue || !isKnown) return undefined;
      const prepared = { next: await createSigningKey(systemScope, envelope), active: undefined };
      const rotation = await keyring.rotate(tx, systemScope, prepared, { cause: 'schedule', now, isCompromised: false });
      return () => {
        keyNotices.publishKeysChanged(systemScope);
        countOperation('rotateSystemSigningKey', 'ok');
        logger.info({ kid: rotation.active.kid }, 'the system signing key was rotated');
      };
    },
  });
}
