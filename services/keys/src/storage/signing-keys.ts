import { newId } from '@tessera/kernel/ids';
import { type Database, type Page, type PageRequest, pageQuery, statement, type Transaction } from '@tessera/kernel/postgres';
import type { SigningKey } from '../domain/signing-key.ts';
import type { ProjectScope, SigningScope } from '../domain/signing-scope.ts';

/** Either reads: a connection of its own, or somebody's transaction. */
export type Reader = Pick<Database, 'query'> | Pick<Transaction, 'query'>;

export type SealedKey = { readonly sealed: Buffer; readonly encryptionKeyId: string };
export type NewSigningKey = SealedKey & Pick<SigningKey, 'kid' | 'scope' | 'n' | 'e'>;
export type ActiveKey = SealedKey & { readonly kid: string };

type Row = Omit<SigningKey, 'scope'> & { readonly tenant: string; readonly scopeId: string };

const columns = `kid, tenant, scope_id AS "scopeId", status, modulus AS n, exponent AS e, created_at AS "createdAt",
  activated_at AS "activatedAt", rotated_at AS "rotatedAt", retires_at AS "retiresAt", compromised_at AS "compromisedAt"`;

const findKey = statement('keys_find_key', `SELECT ${columns} FROM signing_keys WHERE kid = $1`);
const listScope = statement('keys_list_scope', `SELECT ${columns} FROM signing_keys WHERE tenant = $1 AND scope_id = $2`);
const findActive = statement(
  'keys_find_active',
  `SELECT kid, private_key AS sealed, encryption_key_id AS "encryptionKeyId" FROM signing_keys
   WHERE tenant = $1 AND scope_id = $2 AND status = 'active'`,
);
const findActiveKid = statement(
  'keys_find_active_kid',
  `SELECT kid FROM signing_keys WHERE tenant = $1 AND scope_id = $2 AND status = 'active'`,
);
const lock = statement('keys_lock_scope', `SELECT pg_advisory_xact_lock(hashtextextended('signing:' || $1 || ':' || $2, 0))`);
const insert = statement(
  'keys_insert_key',
  `INSERT INTO signing_keys (kid, tenant, scope_id, status, modulus, exponent, private_key, encryption_key_id, created_at, activated_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING ${columns}`,
);
const rotateActive = statement(
  'keys_rotate_active',
  `UPDATE signing_keys SET status = 'rotated', private_key = NULL, encryption_key_id = NULL, rotated_at = $3, retires_at = $4, compromised_at = $5
   WHERE tenant = $1 AND scope_id = $2 AND status = 'active' RETURNING ${columns}`,
);
const activateNext = statement(
  'keys_activate_next',
  `UPDATE signing_keys SET status = 'active', activated_at = $3 WHERE tenant = $1 AND scope_id = $2 AND status = 'next' RETURNING ${columns}`,
);
const removeScope = statement('keys_remove_scope', `DELETE FROM signing_keys WHERE tenant = $1 AND scope_id = $2 RETURNING ${columns}`);
const removeRetired = statement(
  'keys_remove_retired',
  `DELETE FROM signing_keys WHERE status = 'rotated' AND retires_at <= $1 RETURNING ${columns}`,
);
const audit = statement(
  'keys_audit',
  `INSERT INTO signing_key_audit_logs (id, at, kid, tenant, scope_id, action, cause, actor_id, request_id) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
);
const listScopes = statement(
  'keys_list_scopes_of',
  `SELECT DISTINCT scope_id AS "scopeId" FROM signing_keys WHERE tenant = $1 AND starts_with(scope_id, $2 || ':')`,
);
const retire = statement(
  'keys_retire_scope',
  'INSERT INTO retired_scopes (tenant, scope_id, retired_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
);
const findRetired = statement('keys_find_retired_scope', 'SELECT is_retired($1, $2, $3, $4) AS "isRetired"');

function toKey({ tenant, scopeId, ...row }: Row): SigningKey {
  // The table's check constraint allows no other pair.
  return { ...row, scope: { tenant, id: scopeId } as SigningScope };
}

/** The key of this kid, whatever its status; undefined when there is none. */
export async function findSigningKey(reader: Reader, kid: string): Promise<SigningKey | undefined> {
  const [row] = await reader.query<Row>(findKey, [kid]);
  return row && toKey(row);
}

/** All keys of a scope, in no order. */
export async function listSigningKeys(reader: Reader, { tenant, id }: SigningScope): Promise<SigningKey[]> {
  return (await reader.query<Row>(listScope, [tenant, id])).map(toKey);
}

const sortFields = { createdAt: 'created_at', activatedAt: 'activated_at', rotatedAt: 'rotated_at', status: 'status' };

export async function pageSigningKeys(
  tx: Transaction,
  scope: { readonly tenant: string; readonly id: string },
  input: PageRequest,
): Promise<Page<SigningKey>> {
  const page = await pageQuery<Row>(tx, {
    name: 'keys_page_signing_keys',
    select: columns,
    from: 'signing_keys',
    where: ['tenant = $1', 'scope_id = $2'],
    values: [scope.tenant, scope.id],
    search: { columns: ['kid::text', 'status'] },
    sort: { fields: sortFields, default: 'createdAt' },
    input,
    idColumn: 'kid',
  });
  return { ...page, rows: page.rows.map(toKey) };
}

export async function findActiveKey(reader: Reader, { tenant, id }: SigningScope): Promise<ActiveKey | undefined> {
  return (await reader.query<ActiveKey>(findActive, [tenant, id]))[0];
}

export async function findActiveKidOf(reader: Reader, { tenant, id }: SigningScope): Promise<string | undefined> {
  return (await reader.query<{ kid: string }>(findActiveKid, [tenant, id]))[0]?.kid;
}

/** Everybody who makes, rotates or removes keys of a scope comes one after another, until commit. */
export async function lockScope(tx: Transaction, { tenant, id }: SigningScope): Promise<void> {
  await tx.query(lock, [tenant, id]);
}

export async function insertSigningKey(tx: Transaction, key: NewSigningKey, status: 'active' | 'next', now: Date): Promise<SigningKey> {
  const { kid, scope, n, e, sealed, encryptionKeyId } = key;
  const activatedAt = status === 'active' ? now : null;
  const values = [kid, scope.tenant, scope.id, status, n, e, sealed, encryptionKeyId, now, activatedAt];
  return toKey(theRow(await tx.one<Row>(insert, values)));
}

/** active → rotated, its private half destroyed; undefined when there is no active key. */
export async function rotateActiveKey(
  tx: Transaction,
  { tenant, id }: SigningScope,
  times: { readonly now: Date; readonly retiresAt: Date; readonly isCompromised: boolean },
): Promise<SigningKey | undefined> {
  const row = await tx.one<Row>(rotateActive, [tenant, id, times.now, times.retiresAt, times.isCompromised ? times.now : null]);
  return row && toKey(row);
}

/** next → active. There is always one where there is an active one. */
export async function activateNextKey(tx: Transaction, { tenant, id }: SigningScope, now: Date): Promise<SigningKey> {
  return toKey(theRow(await tx.one<Row>(activateNext, [tenant, id, now])));
}

export async function removeSigningKeys(tx: Transaction, { tenant, id }: SigningScope): Promise<SigningKey[]> {
  return (await tx.query<Row>(removeScope, [tenant, id])).map(toKey);
}

/** The projects of an account or organization that have keys. */
export async function listScopesOf(tx: Transaction, tenant: ProjectScope['tenant'], parentId: string): Promise<ProjectScope[]> {
  return (await tx.query<{ scopeId: string }>(listScopes, [tenant, parentId])).map(({ scopeId }) => ({ tenant, id: scopeId }));
}

export async function removeRetiredKeys(tx: Transaction, now: Date): Promise<SigningKey[]> {
  return (await tx.query<Row>(removeRetired, [now])).map(toKey);
}

export type KeyAction = 'created' | 'activated' | 'rotated' | 'compromised' | 'retired';
/** Why it happened, and who asked. */
export type KeyCause = {
  readonly cause: 'seed' | 'first use' | 'request' | 'operator' | 'schedule' | 'retention' | 'deletion';
  readonly actorId?: string;
  readonly requestId?: string;
};

export async function auditKey(tx: Transaction, { kid, scope }: SigningKey, action: KeyAction, by: KeyCause, now: Date): Promise<void> {
  await tx.execute(audit, [newId(), now, kid, scope.tenant, scope.id, action, by.cause, by.actorId ?? null, by.requestId ?? null]);
}

/** A tombstone: nothing is made for this account, organization or project any more. */
export async function retireScope(tx: Transaction, scope: { readonly tenant: string; readonly id: string }, now: Date): Promise<void> {
  await tx.execute(retire, [scope.tenant, scope.id, now]);
}

export async function isRetired(
  reader: Reader,
  scope: { readonly tenant: string; readonly id: string },
  parent: { readonly tenant: string; readonly id: string },
): Promise<boolean> {
  const [row] = await reader.query<{ isRetired: boolean }>(findRetired, [scope.tenant, scope.id, parent.tenant, parent.id]);
  return row?.isRetired === true;
}

function theRow(row: Row | undefined): Row {
  if (row === undefined) throw new Error('a signing scope lost one of its keys');
  return row;
}
