import { newId } from '@tessera/kernel/ids';
import type { Transaction } from '@tessera/kernel/postgres';
import type { SigningKey, SigningKeyAction } from '../domain/signing-key.ts';
import { query } from './query.ts';

/** Why it happened, and who asked for it. */
export type KeyCause = {
  readonly cause: 'seed' | 'first use' | 'request' | 'operator' | 'schedule' | 'retention' | 'deletion';
  readonly actorId?: string;
  readonly requestId?: string;
};

type Audited = Pick<SigningKey, 'kid' | 'scope'>;

export async function auditKey(tx: Transaction, { kid, scope }: Audited, action: SigningKeyAction, by: KeyCause, now: Date): Promise<void> {
  const { cause, actorId = null, requestId = null } = by;
  const row = { id: newId(), at: now.toISOString(), kid, tenant: scope.tenant, scopeId: scope.id, action, cause, actorId, requestId };
  await tx.execute(query.insertInto('signing_key_audit_logs').values(row));
}
