import { type Database, findPage, type Page, type PageRequest, type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { type ExpressionBuilder, sql } from 'kysely';
import type { EllipticKey, SigningKey } from '../domain/signing-key.ts';
import { type ProjectScope, type SigningScope, systemScope } from '../domain/signing-scope.ts';
import { insertEllipticKey, type NewEllipticKey } from './elliptic-keys.ts';
import { query, type Tables } from './query.ts';

/** A connection of its own, or a transaction. */
export type Reader = Pick<Database, 'query'> | Pick<Transaction, 'query'>;

export type SealedKey = { readonly sealed: Buffer; readonly encryptionKeyId: string };
export type NewSigningKey = SealedKey &
  Pick<SigningKey, 'kid' | 'scope' | 'n' | 'e'> & { /** A project's has one. */ readonly es256: NewEllipticKey | undefined };
export type ActiveKey = SealedKey & { readonly kid: string };

type Scope = { tenant: SigningScope['tenant']; id: string };
type Row = Omit<SigningKey, 'scope' | 'es256'> & {
  readonly tenant: SigningScope['tenant'];
  readonly scopeId: string;
  readonly es256Kid: string | null;
  readonly es256X: string | null;
  readonly es256Y: string | null;
};

function columns({ selectFrom }: ExpressionBuilder<Tables, 'signing_keys'>) {
  const beside = selectFrom('elliptic_keys').whereRef('elliptic_keys.beside', '=', 'signing_keys.kid');
  return [
    ...(['kid', 'tenant', 'scopeId', 'status', 'modulus as n', 'exponent as e'] as const),
    ...(['createdAt', 'activatedAt', 'rotatedAt', 'retiresAt', 'compromisedAt'] as const),
    beside.select('elliptic_keys.kid').as('es256Kid'),
    beside.select('elliptic_keys.x').as('es256X'),
    beside.select('elliptic_keys.y').as('es256Y'),
  ] as const;
}

const findKeys = statement('keys_find_keys', (p: Params<{ kids: readonly string[] }>) =>
  query
    .selectFrom('signing_keys')
    .where('kid', '=', ({ fn }) => fn.any(p.kids))
    .select(columns),
);
const listScope = statement('keys_list_scope', (p: Params<Scope>) =>
  query.selectFrom('signing_keys').where('tenant', '=', p.tenant).where('scopeId', '=', p.id).select(columns),
);
const findActive = statement('keys_find_active', (p: Params<Scope>) =>
  query
    .selectFrom('signing_keys')
    .where('tenant', '=', p.tenant)
    .where('scopeId', '=', p.id)
    .where('status', '=', sql.lit('active'))
    .select(['kid', 'privateKey', 'encryptionKeyId']),
);
const findActiveKid = statement('keys_find_active_kid', (p: Params<Scope>) =>
  query
    .selectFrom('signing_keys')
    .where('tenant', '=', p.tenant)
    .where('scopeId', '=', p.id)
    .where('status', '=', sql.lit('active'))
    .select('kid'),
);

function toKey({ tenant, scopeId, es256Kid, es256X, es256Y, ...row }: Row): SigningKey {
  const scope = tenant === 'system' ? systemScope : { tenant, id: scopeId };
  const es256 = es256Kid === null || es256X === null || es256Y === null ? null : { kid: es256Kid, x: es256X, y: es256Y };
  return { ...row, scope, es256 };
}

/** The keys of these kids, whatever their status. */
export async function findSigningKeys(reader: Reader, kids: readonly string[]): Promise<SigningKey[]> {
  return (await reader.query(findKeys, { kids })).map(toKey);
}

/** All keys of a scope, in no order. */
export async function listSigningKeys(reader: Reader, { tenant, id }: SigningScope): Promise<SigningKey[]> {
  return (await reader.query(listScope, { tenant, id })).map(toKey);
}

export async function pageSigningKeys(tx: Transaction, { tenant, id }: SigningScope, input: PageRequest): Promise<Page<SigningKey>> {
  const page = await findPage(tx, {
    name: 'keys_page_signing_keys',
    from: query.selectFrom('signing_keys').where('tenant', '=', tenant).where('scopeId', '=', id),
    select: (keys) => keys.select(columns),
    search: [sql`kid::text`, 'status'],
    sort: {
      fields: { createdAt: 'createdAt', activatedAt: 'activatedAt', rotatedAt: 'rotatedAt', status: 'status' },
      default: 'createdAt',
    },
    id: 'kid',
    input,
  });
  return { ...page, rows: page.rows.map(toKey) };
}

export async function findActiveKey(reader: Reader, { tenant, id }: SigningScope): Promise<ActiveKey | undefined> {
  const [row] = await reader.query(findActive, { tenant, id });
  if (row === undefined || row.privateKey === null || row.encryptionKeyId === null) return undefined;
  return { kid: row.kid, sealed: row.privateKey, encryptionKeyId: row.encryptionKeyId };
}

export async function findActiveKidOf(reader: Reader, { tenant, id }: SigningScope): Promise<string | undefined> {
  return (await reader.query(findActiveKid, { tenant, id }))[0]?.kid;
}

export async function insertSigningKey(tx: Transaction, key: NewSigningKey, status: 'active' | 'next', now: Date): Promise<SigningKey> {
  const { kid, scope, n, e, es256, sealed, encryptionKeyId } = key;
  const createdAt = now.toISOString();
  const values = {
    kid,
    tenant: scope.tenant,
    scopeId: scope.id,
    status,
    modulus: n,
    exponent: e,
    privateKey: sealed,
    encryptionKeyId,
    createdAt,
    activatedAt: status === 'active' ? createdAt : null,
  };
  const inserted = toKey(existing(await tx.one(query.insertInto('signing_keys').values(values).returning(columns))));
  if (es256 === undefined) return inserted;
  await insertEllipticKey(tx, kid, es256, createdAt);
  return { ...inserted, es256: publicPart(es256) };
}

function publicPart({ kid, x, y }: EllipticKey): EllipticKey {
  return { kid, x, y };
}

/** active → rotated, and its private key is removed; undefined when there is no active key. */
export async function rotateActiveKey(
  tx: Transaction,
  { tenant, id }: SigningScope,
  times: { readonly now: Date; readonly retiresAt: Date; readonly isCompromised: boolean },
): Promise<SigningKey | undefined> {
  const rotatedAt = times.now.toISOString();
  const rotated = {
    ...({ status: 'rotated', privateKey: null, encryptionKeyId: null, rotatedAt } as const),
    retiresAt: times.retiresAt.toISOString(),
    compromisedAt: times.isCompromised ? rotatedAt : null,
  };
  const update = query.updateTable('signing_keys').set(rotated).where('tenant', '=', tenant).where('scopeId', '=', id);
  const row = await tx.one(update.where('status', '=', 'active').returning(columns));
  return row && toKey(row);
}

/** next → active. Every scope with an active key has a next one. */
export async function activateNextKey(tx: Transaction, { tenant, id }: SigningScope, now: Date): Promise<SigningKey> {
  const activated = { status: 'active', activatedAt: now.toISOString() } as const;
  const update = query.updateTable('signing_keys').set(activated).where('tenant', '=', tenant).where('scopeId', '=', id);
  return toKey(existing(await tx.one(update.where('status', '=', 'next').returning(columns))));
}

export async function removeSigningKeys(tx: Transaction, { tenant, id }: SigningScope): Promise<SigningKey[]> {
  const remove = query.deleteFrom('signing_keys').where('tenant', '=', tenant).where('scopeId', '=', id);
  return (await tx.query(remove.returning(columns))).map(toKey);
}

/** The projects of an account or organization that have keys. */
export async function listScopesOf(tx: Transaction, tenant: ProjectScope['tenant'], parentId: string): Promise<ProjectScope[]> {
  const rows = await tx.query(
    query
      .selectFrom('signing_keys')
      .where('tenant', '=', tenant)
      .where(({ fn, val }) => fn<boolean>('starts_with', ['scopeId', val(`${parentId}:`)]))
      .select('scopeId')
      .distinct(),
  );
  return rows.map(({ scopeId }) => ({ tenant, id: scopeId }));
}

export async function removeRetiredKeys(tx: Transaction, now: Date): Promise<SigningKey[]> {
  const remove = query.deleteFrom('signing_keys').where('status', '=', 'rotated').where('retiresAt', '<=', now.toISOString());
  return (await tx.query(remove.returning(columns))).map(toKey);
}

function existing(row: Row | undefined): Row {
  if (row === undefined) throw new Error('a signing scope lost one of its keys');
  return row;
}
