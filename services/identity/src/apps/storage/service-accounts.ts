/** Service accounts and their credentials. */
import { findPage, type Page, type PageRequest, type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import type { ServiceScope } from '@tessera/kernel/scope';
import { sql } from 'kysely';
import type { Jwks } from '../../ground/domain/project-app.ts';
import { changedAt, query } from '../../ground/storage/query.ts';
import type { Reader } from '../../ground/storage/reader.ts';
import { hashToken } from '../../ground/tokens/opaque-token.ts';

export type ServiceAccountFields = {
  readonly name: string;
  readonly description: string | null;
  readonly elevated: readonly string[];
  readonly allowedNetworks: readonly string[];
  /** Those it is to have, where rbac was told since they are kept. */
  readonly roleIds: readonly string[] | null;
};
export type ServiceAccount = ServiceAccountFields & {
  readonly id: string;
  readonly scope: ServiceScope;
  readonly generation: string;
  readonly isSuspended: boolean;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly deletedAt: string | null;
  readonly lastUsedAt: string | null;
  readonly lastUsedFrom: string | null;
  readonly lastUsedCredentialId: string | null;
};

const columns = [
  'id',
  'scopeTenant',
  'scopeId',
  'name',
  'description',
  'elevated',
  'allowedNetworks',
  'roleIds',
  'generation',
  'isSuspended',
  'createdBy',
  'createdAt',
  'updatedAt',
  'deletedAt',
  'lastUsedAt',
  'lastUsedFrom',
  'lastUsedCredentialId',
] as const;
type Row = Omit<ServiceAccount, 'scope'> & { readonly scopeTenant: ServiceScope['tenant']; readonly scopeId: string };

function toAccount({ scopeTenant, scopeId, ...account }: Row): ServiceAccount {
  return { ...account, scope: { tenant: scopeTenant, id: scopeId } };
}

const proofColumns = ['lastFour', 'jwks', 'jwksUri', 'issuer', 'audience', 'claims'] as const;
const credentialColumns = ['id', 'type', ...proofColumns, 'createdBy', 'createdAt', 'expiresAt', 'lastUsedAt', 'lastUsedFrom'] as const;
export type ServiceCredential = {
  readonly id: string;
  readonly type: 'secret' | 'directory' | 'jwks' | 'trust';
  readonly lastFour: string | null;
  /** Of type jwks: the public keys, or where they are. */
  readonly jwks: Jwks | null;
  readonly jwksUri: string | null;
  /** Of type trust: whose assertions, for whom, and what they must say. */
  readonly issuer: string | null;
  readonly audience: string | null;
  readonly claims: Readonly<Record<string, string>> | null;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
  readonly lastUsedFrom: string | null;
};

function inScope({ tenant, id: scopeId }: ServiceScope) {
  return query
    .selectFrom('service_accounts')
    .where('scopeTenant', '=', tenant)
    .where('scopeId', '=', scopeId)
    .where('deletedAt', 'is', null);
}

function listsOf({ elevated, allowedNetworks, roleIds }: ServiceAccountFields) {
  return { elevated: [...elevated], allowedNetworks: [...allowedNetworks], roleIds: roleIds && [...roleIds] };
}

export async function insertServiceAccount(
  tx: Transaction,
  { scope, ...account }: ServiceAccountFields & Pick<ServiceAccount, 'id' | 'scope' | 'generation' | 'createdBy'>,
  now: Date,
): Promise<ServiceAccount> {
  const at = now.toISOString();
  const values = { ...account, ...listsOf(account) };
  const row = await tx.one(
    query
      .insertInto('service_accounts')
      .values({ ...values, scopeTenant: scope.tenant, scopeId: scope.id, createdAt: at, updatedAt: at })
      .returning(columns),
  );
  if (row === undefined) throw new Error('an insert returned no row');
  return toAccount(row);
}

/** Undefined also for one of another place. */
export async function findServiceAccount(reader: Reader, scope: ServiceScope, id: string): Promise<ServiceAccount | undefined> {
  const [row] = await reader.query(inScope(scope).where('id', '=', id).select(columns));
  return row && toAccount(row);
}

/** The same, locked until the transaction ends. */
export async function lockServiceAccount(tx: Transaction, scope: ServiceScope, id: string): Promise<ServiceAccount | undefined> {
  const row = await tx.one(inScope(scope).where('id', '=', id).select(columns).forUpdate());
  return row && toAccount(row);
}

export async function pageServiceAccounts(
  tx: Pick<Transaction, 'query'>,
  scope: ServiceScope,
  input: PageRequest,
): Promise<Page<ServiceAccount>> {
  const { rows, ...page } = await findPage(tx, {
    name: 'identity_page_service_accounts',
    from: inScope(scope),
    select: (accounts) => accounts.select(columns),
    search: ['name'],
    sort: { fields: { name: 'name', createdAt: 'createdAt', updatedAt: 'updatedAt' }, default: 'createdAt' },
    id: 'id',
    input,
  });
  return { ...page, rows: rows.map(toAccount) };
}

export async function updateServiceAccount(
  tx: Transaction,
  id: string,
  fields: ServiceAccountFields & Pick<ServiceAccount, 'generation'>,
  now: Date,
): Promise<ServiceAccount> {
  const set = { ...fields, ...listsOf(fields), updatedAt: changedAt(now) };
  const row = await tx.one(query.updateTable('service_accounts').set(set).where('id', '=', id).returning(columns));
  if (row === undefined) throw new Error('a service account vanished under its lock');
  return toAccount(row);
}

export async function deleteServiceAccountRow(tx: Transaction, id: string, now: Date): Promise<void> {
  await tx.execute(query.deleteFrom('service_account_credentials').where('serviceAccountId', '=', id));
  await tx.execute(query.updateTable('service_accounts').set({ deletedAt: now.toISOString() }).where('id', '=', id));
}

/** Of places that end: deletes all, and returns what their tokens carry. */
export async function takeServiceAccountsIn(tx: Transaction, scopeIds: readonly string[], now: Date): Promise<string[]> {
  if (scopeIds.length === 0) return [];
  const gone = await tx.query(
    query
      .updateTable('service_accounts')
      .set({ deletedAt: now.toISOString() })
      .where('scopeId', '=', ({ fn, val }) => fn.any(val(scopeIds)))
      .where('deletedAt', 'is', null)
      .returning(['id', 'generation']),
  );
  const ids = gone.map(({ id }) => id);
  await tx.execute(query.deleteFrom('service_account_credentials').where('serviceAccountId', '=', ({ fn, val }) => fn.any(val(ids))));
  return gone.map(({ generation }) => generation);
}

/**
 * Of a place that is suspended or resumed; returns what the tokens made before carry. The event
 * comes for other limits too: then nothing changes.
 */
export async function suspendServiceAccounts(tx: Transaction, scopeId: string, isSuspended: boolean): Promise<string[]> {
  const before = await tx.query(
    query
      .selectFrom('service_accounts')
      .where('scopeId', '=', scopeId)
      .where('deletedAt', 'is', null)
      .where('isSuspended', '!=', isSuspended)
      .select('generation')
      .forUpdate(),
  );
  await tx.execute(
    query
      .updateTable('service_accounts')
      .set({ isSuspended, generation: sql<string>`gen_random_uuid()` })
      .where('scopeId', '=', scopeId)
      .where('deletedAt', 'is', null)
      .where('isSuspended', '!=', isSuspended),
  );
  return isSuspended ? before.map(({ generation }) => generation) : [];
}

type Staying = {
  readonly account: ServiceAccount;
  /** Those of the person. */
  readonly credentials: readonly ServiceCredential[];
  /** So many more there are in its organization. */
  readonly more: number;
};

/**
 * The accounts that a person has made, or a credential of, in all organizations or in one: so many
 * of each organization, the unused and newest first. Accounts in one hide none in another.
 */
export async function listServiceAccountsMadeBy(
  tx: Transaction,
  { makerId, organizationId }: { readonly makerId: string; readonly organizationId?: string | undefined },
  limit: number,
): Promise<readonly Staying[]> {
  const ofCredentials = query.selectFrom('service_account_credentials').where('createdBy', '=', makerId).select('serviceAccountId as id');
  const ids = query.selectFrom('service_accounts').where('createdBy', '=', makerId).select('id').union(ofCredentials);
  const made = query
    .selectFrom('service_accounts')
    .where('id', 'in', ids)
    .where('scopeTenant', '=', 'organization')
    .where('deletedAt', 'is', null)
    .select(columns)
    .select([
      sql<number>`row_number() OVER (PARTITION BY scope_id ORDER BY last_used_at IS NULL DESC, created_at DESC, id)::int`.as('place'),
      sql<number>`count(*) OVER (PARTITION BY scope_id)::int`.as('among'),
    ]);
  const within = organizationId === undefined ? made : made.where('scopeId', '=', organizationId);
  const rows = await tx.query(query.selectFrom(within.as('made')).selectAll().where('place', '<=', limit));
  const credentials = await listServiceCredentials(
    tx,
    rows.map(({ id }) => id),
  );
  return rows.map(({ place: _, among, ...row }) => ({
    account: toAccount(row),
    credentials: (credentials.get(row.id) ?? []).filter(({ createdBy }) => createdBy === makerId),
    more: Math.max(among - limit, 0),
  }));
}

export async function removeDeletedServiceAccounts(tx: Transaction, before: Date): Promise<number> {
  return tx.execute(query.deleteFrom('service_accounts').where('deletedAt', '<', before.toISOString()));
}

/** By the ids of their accounts, oldest first. */
export async function listServiceCredentials(
  reader: Reader,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, readonly ServiceCredential[]>> {
  const rows = await reader.query(
    query
      .selectFrom('service_account_credentials')
      .where('serviceAccountId', '=', ({ fn, val }) => fn.any(val(accountIds)))
      .select([...credentialColumns, 'serviceAccountId'])
      .orderBy('createdAt')
      .orderBy('id'),
  );
  const byAccount = Map.groupBy(rows, ({ serviceAccountId }) => serviceAccountId);
  return new Map([...byAccount].map(([id, all]) => [id, all.map(({ serviceAccountId: _, ...credential }) => credential)]));
}

const mostCredentials = 4;

/** What proves the account, by the type of the credential. */
export type NewProof =
  | { readonly type: 'secret' | 'directory'; readonly secret: string }
  | { readonly type: 'jwks'; readonly jwks: Jwks | null; readonly jwksUri: string | null }
  | {
      readonly type: 'trust';
      readonly issuer: string;
      readonly audience: string;
      readonly claims: Readonly<Record<string, string>>;
    };
type NewCredential = Pick<ServiceCredential, 'id' | 'createdBy' | 'expiresAt'> & { readonly accountId: string; readonly proof: NewProof };

function proofOf(proof: NewProof) {
  if (proof.type !== 'secret' && proof.type !== 'directory') return proof;
  return { type: proof.type, digest: hashToken(proof.secret), lastFour: proof.secret.slice(-4) };
}

const mostDirectoryTokens = 2;

/** Call it with the account locked. Undefined when it has four already, or two directory tokens. */
export async function insertServiceCredential(
  tx: Transaction,
  { accountId, proof, ...credential }: NewCredential,
  now: Date,
): Promise<ServiceCredential | undefined> {
  const known = (await listServiceCredentials(tx, [accountId])).get(accountId) ?? [];
  if (known.length >= mostCredentials) return undefined;
  if (proof.type === 'directory' && known.filter(({ type }) => type === proof.type).length >= mostDirectoryTokens) return undefined;
  return tx.one(
    query
      .insertInto('service_account_credentials')
      .values({ ...credential, ...proofOf(proof), serviceAccountId: accountId, createdAt: now.toISOString() })
      .returning(credentialColumns),
  );
}

/** Undefined also for a credential of another account. */
export function deleteServiceCredential(tx: Transaction, accountId: string, id: string): Promise<ServiceCredential | undefined> {
  return tx.one(
    query
      .deleteFrom('service_account_credentials')
      .where('id', '=', id)
      .where('serviceAccountId', '=', accountId)
      .returning(credentialColumns),
  );
}

/** Whether the account is there and may act. */
export async function isLiveServiceAccount(reader: Reader, id: string): Promise<boolean> {
  const found = await reader.query(
    query.selectFrom('service_accounts').where('id', '=', id).where('deletedAt', 'is', null).where('isSuspended', '=', false).select('id'),
  );
  return found.length > 0;
}

/** Whether the account may act now, and by this credential. */
export async function isLiveCredential(reader: Reader, accountId: string, credentialId: string, now: Date): Promise<boolean> {
  const found = await reader.query(
    query
      .selectFrom('service_accounts as a')
      .innerJoin('service_account_credentials as c', 'c.serviceAccountId', 'a.id')
      .where('a.id', '=', accountId)
      .where('a.deletedAt', 'is', null)
      .where('a.isSuspended', '=', false)
      .where('c.id', '=', credentialId)
      .where(({ or, eb }) => or([eb('c.expiresAt', 'is', null), eb('c.expiresAt', '>', now.toISOString())]))
      .select('c.id'),
  );
  return found.length > 0;
}

const bySecret = statement('identity_find_service_account_by_secret', (p: Params<{ id: string; digest: Uint8Array }>) =>
  query
    .selectFrom('service_accounts as a')
    .leftJoin('service_account_credentials as c', (join) =>
      join.onRef('c.serviceAccountId', '=', 'a.id').on('c.type', '=', sql.lit('secret')).on('c.digest', '=', p.digest),
    )
    .where('a.id', '=', p.id)
    .where('a.deletedAt', 'is', null)
    .select(columns.map((name) => `a.${name}` as const))
    .select(['c.id as credentialId', 'c.expiresAt as credentialEnd']),
);

export type Proven = { readonly account: ServiceAccount; readonly credentialId: string | null; readonly expiresAt: string | null };

/**
 * The account of this id, and its credential with this secret; without one `credentialId` is null.
 * The digest is of 256 random bits, so that the time of the comparison says nothing.
 */
export async function findServiceAccountBySecret(reader: Reader, id: string, secret: string): Promise<Proven | undefined> {
  const [row] = await reader.query(bySecret, { id, digest: hashToken(secret) });
  if (row === undefined) return undefined;
  const { credentialId, credentialEnd, ...account } = row;
  return { account: toAccount(account), credentialId, expiresAt: credentialEnd };
}

const byDirectoryToken = statement('identity_find_service_account_by_directory_token', (p: Params<{ digest: Uint8Array }>) =>
  query
    .selectFrom('service_account_credentials as c')
    .innerJoin('service_accounts as a', 'a.id', 'c.serviceAccountId')
    .where('c.type', '=', sql.lit('directory'))
    .where('c.digest', '=', p.digest)
    .where('a.deletedAt', 'is', null)
    .select(columns.map((name) => `a.${name}` as const))
    .select(['c.id as credentialId', 'c.expiresAt as credentialEnd']),
);

/** The account with this directory token, of any place, also when the token has ended. */
export async function findServiceAccountByDirectoryToken(
  reader: Reader,
  token: string,
): Promise<(Proven & { readonly credentialId: string }) | undefined> {
  const [row] = await reader.query(byDirectoryToken, { digest: hashToken(token) });
  if (row === undefined) return undefined;
  const { credentialId, credentialEnd, ...account } = row;
  return { account: toAccount(account), credentialId, expiresAt: credentialEnd };
}

/** Whether an account of the organization has a directory token. */
export async function hasDirectoryToken(reader: Reader, organizationId: string): Promise<boolean> {
  const ofDirectories = inScope({ tenant: 'organization', id: organizationId })
    .innerJoin('service_account_credentials as c', 'c.serviceAccountId', 'service_accounts.id')
    .where('c.type', '=', 'directory');
  return (await reader.query(ofDirectories.select('c.id').limit(1))).length > 0;
}

const dayMs = 86_400_000;
/** The Owners are told so many days before a directory token ends, and again. */
const tellDays = [14, 2] as const;
const mostTold = 100;

export type EndingToken = Pick<ServiceCredential, 'id' | 'lastFour' | 'expiresAt'> & {
  readonly accountId: string;
  readonly accountName: string;
  readonly organizationId: string;
};

/** The directory tokens whose end the Owners are to be told of now; notes that they are. */
export async function takeEndingDirectoryTokens(tx: Transaction, now: Date): Promise<readonly EndingToken[]> {
  const inDays = (days: number) => new Date(now.getTime() + days * dayMs).toISOString();
  const [first, last] = tellDays;
  const ending = await tx.query(
    query
      .selectFrom('service_account_credentials as c')
      .innerJoin('service_accounts as a', 'a.id', 'c.serviceAccountId')
      .where('c.type', '=', 'directory')
      .where('c.expiresAt', '>', now.toISOString())
      .where('c.expiresAt', '<=', inDays(first))
      .where(({ eb, or, and }) =>
        or([
          eb('c.toldEndAt', 'is', null),
          and([eb('c.expiresAt', '<=', inDays(last)), sql<boolean>`c.told_end_at < c.expires_at - make_interval(days => ${last}::int)`]),
        ]),
      )
      .where('a.deletedAt', 'is', null)
      .orderBy('c.expiresAt')
      .limit(mostTold)
      .select(['c.id', 'c.lastFour', 'c.expiresAt', 'a.id as accountId', 'a.name as accountName', 'a.scopeId as organizationId'])
      .forUpdate('c'),
  );
  const ids = ending.map(({ id }) => id);
  await tx.execute(
    query
      .updateTable('service_account_credentials')
      .set({ toldEndAt: now.toISOString() })
      .where('id', '=', ({ fn, val }) => fn.any(val(ids))),
  );
  return ending;
}

const byType = statement('identity_find_service_account_by_type', (p: Params<{ id: string; type: ServiceCredential['type'] }>) =>
  query
    .selectFrom('service_accounts as a')
    .leftJoin('service_account_credentials as c', (join) => join.onRef('c.serviceAccountId', '=', 'a.id').on('c.type', '=', p.type))
    .where('a.id', '=', p.id)
    .where('a.deletedAt', 'is', null)
    .select(columns.map((name) => `a.${name}` as const))
    .select(['c.id as credentialId', 'c.expiresAt as credentialEnd', 'c.jwks', 'c.jwksUri', 'c.issuer', 'c.audience', 'c.claims'])
    .orderBy('c.createdAt')
    .orderBy('c.id'),
);

/** A credential that is proven by an assertion. */
export type AssertedCredential = Pick<ServiceCredential, 'id' | 'expiresAt' | 'jwks' | 'jwksUri' | 'issuer' | 'audience' | 'claims'>;

/** The account of this id and its credentials of one type, the oldest first. */
export async function findServiceAccountAsserted(
  reader: Reader,
  id: string,
  type: 'jwks' | 'trust',
): Promise<{ readonly account: ServiceAccount; readonly credentials: readonly AssertedCredential[] } | undefined> {
  const rows = await reader.query(byType, { id, type });
  const [first] = rows;
  if (first === undefined) return undefined;
  const {
    credentialId: _id,
    credentialEnd: _end,
    jwks: _jwks,
    jwksUri: _uri,
    issuer: _issuer,
    audience: _for,
    claims: _claims,
    ...row
  } = first;
  const credentials = rows.flatMap(({ credentialId, credentialEnd, jwks, jwksUri, issuer, audience, claims }) =>
    credentialId === null ? [] : [{ id: credentialId, expiresAt: credentialEnd, jwks, jwksUri, issuer, audience, claims }],
  );
  return { account: toAccount(row), credentials };
}

// Text, because Kysely writes no WITH that updates two tables and reads neither.
const useQuery = statement(
  'identity_use_service_account',
  `WITH account AS (
     UPDATE service_accounts SET last_used_at = $4, last_used_from = $5, last_used_credential_id = $2
     WHERE id = $1 AND generation = $3 AND deleted_at IS NULL AND NOT is_suspended RETURNING id)
   UPDATE service_account_credentials c SET last_used_at = $4, last_used_from = $5 FROM account
   WHERE c.id = $2 AND c.service_account_id = account.id AND (c.expires_at IS NULL OR c.expires_at > $4) RETURNING c.id`,
);
// The same, and only for an assertion that was not used: another use of it waits for this one.
const useOnceQuery = statement(
  'identity_use_service_account_once',
  `WITH spent AS (
     INSERT INTO spent_assertions (digest, expires_at) VALUES ($6, $7) ON CONFLICT DO NOTHING RETURNING digest),
   account AS (
     UPDATE service_accounts SET last_used_at = $4, last_used_from = $5, last_used_credential_id = $2
     WHERE id = $1 AND generation = $3 AND deleted_at IS NULL AND NOT is_suspended AND EXISTS (SELECT FROM spent) RETURNING id)
   UPDATE service_account_credentials c SET last_used_at = $4, last_used_from = $5 FROM account
   WHERE c.id = $2 AND c.service_account_id = account.id AND (c.expires_at IS NULL OR c.expires_at > $4) RETURNING c.id`,
);

/** An assertion that works once, and until when it must be remembered. */
export type Spent = { readonly digest: Uint8Array; readonly until: Date };
type Use = {
  readonly account: ServiceAccount;
  readonly credentialId: string;
  readonly from: string;
  readonly spent?: Spent | undefined;
};

/**
 * Notes the use, if the account and its credential still are what the token was made of, and the
 * assertion is new. A change of either waits for the caller's commit, and then ends the token by
 * what it carries. When it is false the caller rolls back, so that no assertion is spent for
 * nothing.
 */
export async function useServiceAccount(tx: Transaction, { account, credentialId, from, spent }: Use, now: Date): Promise<boolean> {
  const values = [account.id, credentialId, account.generation, now.toISOString(), from];
  const used =
    spent === undefined ? tx.query(useQuery, values) : tx.query(useOnceQuery, [...values, spent.digest, spent.until.toISOString()]);
  return (await used).length > 0;
}

/** No assertion is good any more then. */
export async function deleteSpentAssertions(tx: Transaction, now: Date): Promise<number> {
  return tx.execute(query.deleteFrom('spent_assertions').where('expiresAt', '<', now.toISOString()));
}
