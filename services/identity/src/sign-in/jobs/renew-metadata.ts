/**
 * Reads the metadata of SAML connections again each day, on one replica at a time. New certificates
 * are taken from the address that the organization has registered, if it is still the same
 * provider; the Owners get a mail. What cannot be read changes nothing.
 */
import { isDeepStrictEqual } from 'node:util';
import { AppError } from '@tessera/kernel/errors';
import { everySeconds, type Job, startJob } from '@tessera/kernel/events';
import { type AuditEntry, writeAudit } from '@tessera/kernel/operation';
import type { Database, Transaction } from '@tessera/kernel/postgres';
import type { Logger } from '@tessera/kernel/telemetry';
import { auditContextBehind } from '../../ground/storage/audit-log.ts';
import type { SignInDeps } from '../deps.ts';
import { tellOwners } from '../enforcement.ts';
import { type MetadataDeps, readGivenSaml } from '../operations/connections/saml-input.ts';
import { type Connection, lockConnection, replaceSamlProvider, takeMetadataDue } from '../storage/connections.ts';

type Deps = MetadataDeps & Pick<SignInDeps, 'database'>;
type Options = { readonly deps: Deps; readonly logger: Logger; readonly clock: () => Date };

type Renewal = Omit<Options, 'logger'> & { readonly logger: Pick<Logger, 'warn'> };

const checkSeconds = 600;
const dayMs = 86_400_000;
/** One after the other: an address that never answers costs five seconds. */
const mostAtOnce = 50;

export function startRenewingMetadata({ deps, logger, clock }: Options): Job {
  return startJob({
    db: deps.database,
    logger,
    name: 'identity.connection-metadata',
    schedule: everySeconds(checkSeconds),
    async run(tx) {
      const due = await takeDue(tx, clock());
      return due.length === 0 ? undefined : () => void renewAll(due, { deps, logger, clock });
    },
  });
}

/** Each is due once a day, whatever comes of it. */
export function takeDue(tx: Transaction, now: Date): Promise<Connection[]> {
  return takeMetadataDue(tx, new Date(now.getTime() - dayMs), now, mostAtOnce);
}

/** After the commit: the job holds no transaction while providers answer. */
export async function renewAll(due: readonly Connection[], { deps, logger, clock }: Renewal): Promise<void> {
  for (const connection of due)
    await renew(connection, deps, clock()).catch((error: unknown) =>
      logger.warn({ err: error, connectionId: connection.id }, 'the metadata of a connection was not read again'),
    );
}

async function renew(connection: Connection, deps: Deps, now: Date): Promise<void> {
  const { saml, organizationId } = connection;
  if (saml?.metadataUrl == null) return;
  const read = await readGivenSaml({ metadataUrl: saml.metadataUrl }, organizationId, deps).catch((error: unknown) => {
    if (error instanceof AppError) return undefined;
    throw error;
  });
  if (read === undefined) return refuse(connection, 'unreadable', deps.database, now);
  // Another provider is another connection: its subjects mean other people.
  if (read.entityId !== saml.entityId) return refuse(connection, 'another_provider', deps.database, now);
  if (isDeepStrictEqual(read, saml)) return;
  await deps.database.transaction(async (tx) => {
    const held = await lockConnection(tx, organizationId, connection.id);
    // A change by hand since the reading wins.
    if (held?.status !== 'active' || !isDeepStrictEqual(held.saml, saml)) return;
    await replaceSamlProvider(tx, held.id, read, now);
    const detail = { connection: held.name, before: saml, after: read };
    await record(tx, held, { outcome: 'ok', detail }, now);
    const data = { connectionName: held.name, at: now.toISOString(), path: `/org/${organizationId}/connections` };
    await tellOwners(tx, { organizationId, template: 'connection-keys-changed', data });
  });
}

function refuse(connection: Connection, reason: string, database: Database, now: Date): Promise<void> {
  return record(database, connection, { outcome: 'refused', code: reason, detail: { connection: connection.name, reason } }, now);
}

type Outcome = Pick<AuditEntry, 'detail'> & ({ readonly outcome: 'ok' } | { readonly outcome: 'refused'; readonly code: string });

/** In the log of the organization. */
async function record(
  db: Database | Transaction,
  { id, organizationId }: Connection,
  { detail, ...result }: Outcome,
  now: Date,
): Promise<void> {
  const scope = { tenant: 'organization', id: organizationId } as const;
  const entry = { targetType: 'Connection', targetId: id, scope, ...(detail === undefined ? {} : { detail }) };
  await writeAudit(
    db,
    { operation: 'renewMetadata', action: 'connection.metadata-renewed', ...result, entry },
    auditContextBehind({}, now),
  );
}
