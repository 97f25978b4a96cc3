/** Audit rows of changes that come by events and by calls of other services. */
import type { AuditContext } from '@tessera/kernel/operation';
import { statement, type Transaction } from '@tessera/kernel/postgres';

export type Client = { readonly ipAddress: string | null; readonly userAgent: string | null; readonly requestId: string | null };

const lastRequest = statement(
  'audit_last_deletion_request',
  `SELECT ip_address AS "ipAddress", user_agent AS "userAgent", request_id AS "requestId" FROM audit_log
   WHERE actor_id = $1 AND action = 'user.deletion-requested' ORDER BY at DESC LIMIT 1`,
);

/** From where a person has asked for the deletion of their account, if they have. */
export async function findDeletionRequest(tx: Transaction, userId: string): Promise<Client | undefined> {
  return tx.one<Client>(lastRequest, [userId]);
}

/** Of a change that is made on behalf of another service: its client is what that service says. */
export function auditContextBehind(client: Partial<Client>, now: Date): AuditContext {
  const known = { ipAddress: client.ipAddress ?? '', userAgent: client.userAgent ?? '', id: client.requestId ?? '' };
  const request = { ...known, transport: 'grpc', language: 'en', bearerToken: undefined, cookies: {}, origin: undefined } as const;
  return {
    actor: { kind: 'anonymous' },
    scope: undefined,
    now,
    request: { ...request, consistencyToken: undefined, noCache: false },
  };
}
