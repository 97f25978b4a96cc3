import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { migrate } from '../migrations/index.ts';
import { createDatabase, type Database, sql, type Transaction } from '../postgres/index.ts';
import { type EventHandlers, inboxHandler } from './inbox.ts';
import type { EventLogger, OutgoingEvent } from './index.ts';
import { createRelay, type Relay, type RelayOptions } from './relay.ts';
import type { InboxClient } from './send.ts';

export const silent: EventLogger = { warn: () => undefined, error: () => undefined };

/**
 * tenancy sends, rbac receives, each with its own login; `applied` holds what rbac did, without any
 * guard against repetition.
 */
export async function openSides() {
  const test = await createTestDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'tessera-migrations-'));
  writeFileSync(join(folder, '001_applied.sql'), 'CREATE TABLE applied (seq bigint GENERATED ALWAYS AS IDENTITY, key text, value text);');
  await migrate({ url: test.urls.rbac, schema: 'rbac', folder });
  await migrate({ url: test.urls.tenancy, schema: 'tenancy', folder });
  rmSync(folder, { recursive: true });
  const [tenancy, rbac] = [openDatabase(test, 'tenancy'), openDatabase(test, 'rbac')];
  const close = async () => {
    await Promise.all([tenancy.close(), rbac.close()]);
    await test.drop();
  };
  return { urls: test.urls, tenancy, rbac, close };
}

export function openDatabase(test: Pick<TestDatabase, 'urls'>, schema: 'tenancy' | 'rbac'): Database {
  return createDatabase({ url: test.urls[schema], schema, restrictedRole: 'tenant_app_restricted', rlsEnabled: true });
}

/** An event whose payload carries one value. */
export function note(key: string, value: string): OutgoingEvent {
  return { type: 'organization.created', key, payload: { organizationId: value, ownerId: '' } };
}

export async function noteApplied(tx: Transaction, key: string, value: string): Promise<undefined> {
  await tx.execute(sql('INSERT INTO applied (key, value) VALUES ($1, $2)'), [key, value]);
}

export function appliedIn(db: Database): Promise<{ key: string; value: string }[]> {
  return db.query(sql('SELECT key, value FROM applied ORDER BY seq'));
}

export const recording: EventHandlers = {
  'organization.created': (tx, { organizationId }, { key }) => noteApplied(tx, key, organizationId),
};

export function receiver(db: Database, handlers: EventHandlers = recording): InboxClient {
  const handle = inboxHandler({ db, handlers, logger: silent });
  return { deliver: (request, { timeoutMs = 2_000 } = {}) => handle(request, { deadline: Date.now() + timeoutMs }) };
}

export function sender(db: Database, rbac: InboxClient, options: Partial<RelayOptions> = {}): Relay {
  return createRelay({ db, service: 'tenancy', clients: { rbac }, logger: silent, pollMs: 50, ...options });
}
