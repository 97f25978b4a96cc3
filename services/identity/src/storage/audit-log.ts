/** Audit rows of changes that no operation of identity makes: events, and calls of other services. */
import { type AuditRecord, writeAudit } from '@tessera/kernel/operation';
import { type kernelTables, queryBuilder, type Transaction } from '@tessera/kernel/postgres';

const query = queryBuilder<typeof kernelTables>();

export type Client = { readonly ipAddress: string | null; readonly userAgent: string | null; readonly requestId: string | null };

/** From where a person has asked for the deletion of their account, if they have. */
export async function findDeletionRequest(tx: Transaction, userId: string): Promise<Client | undefined> {
  return tx.one(
    query
      .selectFrom('audit_log')
      .where('actorId', '=', userId)
      .where('action', '=', 'user.deletion-requested')
      .orderBy('at', 'desc')
      .limit(1)
      .select(['ipAddress', 'userAgent', 'requestId']),
  );
}

/** A row whose change was made on behalf of another service. */
export async function auditBehind(tx: Transaction, record: AuditRecord, client: Partial<Client>, now: Date): Promise<void> {
  const known = { ipAddress: client.ipAddress ?? '', userAgent: client.userAgent ?? '', id: client.requestId ?? '' };
  const request = { ...known, transport: 'grpc', language: 'en', bearerToken: undefined, cookies: {}, origin: undefined } as const;
  await writeAudit(tx, record, {
    ...{ actor: { kind: 'anonymous' }, scope: undefined, now },
    request: { ...request, consistencyToken: undefined, noCache: false },
  });
}
