/** The identity providers of organizations, and the ways to sign in that lead to them. */
import { findPage, type Page, type PageRequest, type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { sql } from 'kysely';
import {
  type ConnectionStatus,
  type ConnectionType,
  providerOfConnection,
  type RoleMapping,
  type SamlProvider,
} from '../../ground/domain/connection.ts';
import type { Amr } from '../../ground/domain/session.ts';
import { changedAt, query } from '../../ground/storage/query.ts';
import type { Reader } from '../../ground/storage/reader.ts';
import { hashToken } from '../../ground/tokens/opaque-token.ts';
import type { SealedSecret } from './second-factors.ts';

export type ConnectionFields = {
  readonly name: string;
  /** Of OpenID Connect; null for SAML. */
  readonly clientId: string | null;
  readonly saml: SamlProvider | null;
  readonly scopes: readonly string[];
  readonly defaultRoleId: string;
  /** Who chose it, and is asked at each gift; null is who made the connection. */
  readonly defaultRoleBy: string | null;
  readonly isDefaultRoleByService: boolean;
  readonly roleMapping: readonly RoleMapping[];
};
/** Whether members have to come by it, and the Owners who need not. */
export type Enforcement = {
  readonly isEnforced: boolean;
  readonly breakGlassUserIds: readonly string[];
  readonly enforcedAt: string | null;
};
/** What it is believed beside who its people are. An Owner alone decides it. */
export type Trust = { readonly linkOnProvenDomain: boolean; readonly trustedAcr: readonly string[] };
export type Connection = ConnectionFields &
  Enforcement &
  Trust & {
    readonly id: string;
    readonly organizationId: string;
    readonly type: ConnectionType;
    readonly status: ConnectionStatus;
    readonly issuer: string | null;
    /** Sealed; null for one that is deleted. */
    readonly clientSecret: Buffer | null;
    readonly sealedWith: string | null;
    readonly createdBy: string;
    readonly createdAt: string;
    readonly updatedAt: string;
    readonly deletedAt: string | null;
    readonly lastUsedAt: string | null;
    /** The last test that passed, with the settings that it has now. */
    readonly testedAt: string | null;
  };

const columns = [
  ...(['id', 'organizationId', 'type', 'name', 'status', 'issuer', 'clientId', 'clientSecret', 'sealedWith', 'saml'] as const),
  ...(['scopes', 'defaultRoleId', 'defaultRoleBy', 'isDefaultRoleByService', 'roleMapping'] as const),
  ...(['isEnforced', 'breakGlassUserIds', 'enforcedAt'] as const),
  ...(['linkOnProvenDomain', 'trustedAcr'] as const),
  ...(['createdBy', 'createdAt', 'updatedAt', 'deletedAt', 'lastUsedAt', 'testedAt'] as const),
] as const;

export const mostConnections = 10;

const living = query.selectFrom('connections').where('deletedAt', 'is', null);
const lock = statement('identity_lock_connections', `SELECT pg_advisory_xact_lock(hashtextextended('connections of ' || $1, 0))`);

/** How many the organization has. Until the commit no other transaction adds one. */
export async function countConnections(tx: Transaction, organizationId: string): Promise<number> {
  await tx.query(lock, [organizationId]);
  const ofOrganization = living.where('organizationId', '=', organizationId);
  return Number((await tx.one(ofOrganization.select(({ fn }) => fn.countAll<number>().as('count'))))?.count ?? 0);
}

type NewConnection = Omit<ConnectionFields, 'roleMapping'> &
  Pick<Connection, 'id' | 'organizationId' | 'type' | 'issuer' | 'createdBy' | 'clientSecret' | 'sealedWith'>;

export async function insertConnection(tx: Transaction, { scopes, ...connection }: NewConnection, now: Date): Promise<Connection> {
  const at = now.toISOString();
  const values = { ...connection, scopes: [...scopes], status: 'draft' as const, createdAt: at, updatedAt: at };
  const row = await tx.one(query.insertInto('connections').values(values).returning(columns));
  if (row === undefined) throw new Error('an insert returned no row');
  return row;
}

const find = statement('identity_find_connection', ({ id }: Params<{ id: string }>) => living.where('id', '=', id).select(columns));

/** Of any organization: its id is all that a sign-in begins with. */
export async function findConnection(reader: Reader, id: string): Promise<Connection | undefined> {
  return (await reader.query(find, { id }))[0];
}

const findActive = statement('identity_find_active_connection', ({ organizationId }: Params<{ organizationId: string }>) =>
  living
    .where('organizationId', '=', organizationId)
    .where('status', '=', 'active')
    .orderBy('createdAt')
    .orderBy('id')
    .limit(1)
    .select(['id', 'name']),
);

/** Of several the oldest: its people are asked for nothing. */
export async function findActiveConnection(reader: Reader, organizationId: string) {
  return (await reader.query(findActive, { organizationId }))[0];
}

const anyActive = statement('identity_any_active_connection', () => living.where('status', '=', 'active').select('id').limit(1));

/** Of any organization. */
export async function hasActiveConnections(reader: Reader): Promise<boolean> {
  return (await reader.query(anyActive, {})).length > 0;
}

/** Undefined also for one of another organization. */
export async function findConnectionOf(reader: Reader, organizationId: string, id: string): Promise<Connection | undefined> {
  const connection = await findConnection(reader, id);
  return connection?.organizationId === organizationId ? connection : undefined;
}

/** Locked until the transaction ends: sign-ins by it wait, and see what becomes of it. */
export function lockConnection(tx: Transaction, organizationId: string, id: string): Promise<Connection | undefined> {
  return tx.one(living.where('organizationId', '=', organizationId).where('id', '=', id).select(columns).forUpdate());
}

/** An active one stays so until the transaction ends. Undefined when it is not active. */
export function holdActiveConnection(tx: Transaction, id: string): Promise<Connection | undefined> {
  return tx.one(living.where('id', '=', id).where('status', '=', 'active').select(columns).forShare());
}

export function pageConnections(reader: Reader, organizationId: string, input: PageRequest): Promise<Page<Connection>> {
  return findPage(reader, {
    name: 'identity_page_connections',
    from: living.where('organizationId', '=', organizationId),
    select: (rows) => rows.select(columns),
    search: ['name'],
    sort: { fields: { name: 'name', createdAt: 'createdAt', updatedAt: 'updatedAt' }, default: 'createdAt' },
    id: 'id',
    input,
  });
}

type Changes = ConnectionFields & Enforcement & Trust & Pick<Connection, 'status' | 'clientSecret' | 'sealedWith' | 'testedAt'>;

export async function updateConnectionRow(
  tx: Transaction,
  id: string,
  { scopes, breakGlassUserIds, roleMapping, trustedAcr, ...changes }: Changes,
  now: Date,
): Promise<Connection> {
  const mapping = sql<readonly RoleMapping[]>`${JSON.stringify(roleMapping)}::jsonb`;
  const lists = { scopes: [...scopes], breakGlassUserIds: [...breakGlassUserIds], roleMapping: mapping, trustedAcr: [...trustedAcr] };
  const set = { ...changes, ...lists, updatedAt: changedAt(now) };
  const row = await tx.one(query.updateTable('connections').set(set).where('id', '=', id).returning(columns));
  if (row === undefined) throw new Error('a connection vanished under its lock');
  return row;
}

type Draft = Pick<Connection, 'type' | 'name' | 'issuer' | 'clientId' | 'saml' | 'clientSecret' | 'sealedWith'>;

/** Another provider in place of a draft, by which no person has signed in. */
export async function replaceDraft(tx: Transaction, id: string, draft: Draft, now: Date): Promise<void> {
  const set = { ...draft, testedAt: null, updatedAt: changedAt(now) };
  const changed = await tx.execute(query.updateTable('connections').set(set).where('id', '=', id).where('status', '=', 'draft'));
  if (changed !== 1) throw new Error('a draft vanished under its lock');
}

/**
 * The row stays without its secret, so that what came by it stays refused. Ways to sign in by it
 * go, but for a person's primary one, which keeps their address.
 */
export async function deleteConnectionRow(tx: Transaction, id: string, now: Date): Promise<Connection> {
  const at = now.toISOString();
  const set = { status: 'disabled' as const, isEnforced: false, clientSecret: null, sealedWith: null, deletedAt: at, updatedAt: at };
  const row = await tx.one(query.updateTable('connections').set(set).where('id', '=', id).returning(columns));
  if (row === undefined) throw new Error('a connection vanished under its lock');
  await tx.execute(query.deleteFrom('connection_tests').where('connectionId', '=', id));
  await tx.execute(query.deleteFrom('connection_sign_ins').where('connectionId', '=', id));
  await tx.execute(
    query.deleteFrom('authentication_methods').where('provider', '=', providerOfConnection(id)).where('isPrimary', '=', false),
  );
  return row;
}

export type Enforced = Pick<Connection, 'id' | 'name' | 'organizationId' | 'breakGlassUserIds' | 'enforcedAt'>;
const enforced = living.where('isEnforced', '=', true).select(['id', 'name', 'organizationId', 'breakGlassUserIds', 'enforcedAt']);

const ofOrganization = statement('identity_enforced_connections', ({ organizationId }: Params<{ organizationId: string }>) =>
  enforced.where('organizationId', '=', organizationId).orderBy('createdAt').orderBy('id'),
);

/** By which connections members of the organization have to come; none unless it demands that. */
export function listEnforced(reader: Reader, organizationId: string): Promise<Enforced[]> {
  return reader.query(ofOrganization, { organizationId });
}

const ofPerson = statement('identity_enforced_connections_of_person', ({ userId }: Params<{ userId: string }>) =>
  enforced.where(({ or, exists, selectFrom }) =>
    or([
      sql<boolean>`${userId}::uuid = ANY (connections.break_glass_user_ids)`,
      exists(
        selectFrom('connection_links as l')
          .innerJoin('authentication_methods as m', 'm.id', 'l.authenticationMethodId')
          .where('m.userId', '=', userId)
          .whereRef('l.connectionId', '=', 'connections.id')
          .select('m.id'),
      ),
    ]),
  ),
);

/** Those by which a person has signed in, or need not sign in because the person is named. */
export function listEnforcedOf(reader: Reader, userId: string): Promise<Enforced[]> {
  return reader.query(ofPerson, { userId });
}

/** Which of these people are linked by it. */
export async function listLinked(reader: Reader, connectionId: string, userIds: readonly string[]): Promise<Set<string>> {
  const links = query
    .selectFrom('connection_links as l')
    .innerJoin('authentication_methods as m', 'm.id', 'l.authenticationMethodId')
    .where('l.connectionId', '=', connectionId)
    .where('m.userId', '=', ({ fn, val }) => fn.any(val(userIds)));
  return new Set((await reader.query(links.select('m.userId'))).map(({ userId }) => userId));
}

/** Those of organizations that are deleted, locked. Returns their ids. */
export async function lockConnectionsOf(tx: Transaction, organizationIds: readonly string[]): Promise<string[]> {
  const found = await tx.query(
    living
      .where('organizationId', '=', ({ fn, val }) => fn.any(val(organizationIds)))
      .select('id')
      .orderBy('id')
      .forUpdate(),
  );
  return found.map(({ id }) => id);
}

/**
 * The sessions that came by a connection, and those that they granted to programs; or of them
 * those that are named. Returns the ids that ended.
 */
type Named = {
  /** Those that have one of these values. */
  readonly amr?: readonly Amr[];
  readonly userId?: string;
  readonly upstreamSid?: string;
};

export async function endSessionsOfConnection(tx: Transaction, id: string, { amr, userId, upstreamSid }: Named = {}): Promise<string[]> {
  const opened = query
    .with('opened', (db) => {
      const came = db.selectFrom('sessions').where('connectionId', '=', id).select(['id', 'userId']);
      const leveled = amr === undefined ? came : came.where(sql<boolean>`sessions.amr ?| ${[...amr]}::text[]`);
      const owned = userId === undefined ? leveled : leveled.where('userId', '=', userId);
      return upstreamSid === undefined ? owned : owned.where('upstreamSid', '=', upstreamSid);
    })
    .deleteFrom('sessions as e')
    .using('opened')
    .whereRef('e.userId', '=', 'opened.userId')
    .where(({ or, eb, ref }) => or([eb('e.id', '=', ref('opened.id')), sql<boolean>`opened.id = ANY (e.granters)`]))
    .returning('e.id');
  return [...new Set((await tx.query(opened)).map((session) => session.id))];
}

export type Link = { readonly authenticationMethodId: string; readonly connectionId: string; readonly madeBy: MadeBy };
/** `domain`: by the address alone, without the person's word. */
export type MadeBy = 'first-sign-in' | 'word' | 'domain';

export async function insertLink(tx: Transaction, link: Link, now: Date): Promise<void> {
  await tx.execute(query.insertInto('connection_links').values({ ...link, createdAt: now.toISOString() }));
}

/** Undefined for a way to sign in that leads to no connection. */
export async function findLink(reader: Reader, methodId: string) {
  const ofMethod = query.selectFrom('connection_links').where('authenticationMethodId', '=', methodId);
  return (await reader.query(ofMethod.select(['connectionId', 'madeBy'])))[0];
}

/** The person gives their word for a link that was made without it; false where it was with it. */
export async function vouchForLink(tx: Transaction, methodId: string): Promise<boolean> {
  const link = query.updateTable('connection_links').set({ madeBy: 'word' }).where('authenticationMethodId', '=', methodId);
  return (await tx.execute(link.where('madeBy', '=', 'domain'))) === 1;
}

/** Whether any person is linked by it. */
export async function hasLinks(tx: Transaction, connectionId: string): Promise<boolean> {
  const links = query.selectFrom('connection_links').where('connectionId', '=', connectionId);
  return (await tx.one(links.select('connectionId').limit(1))) !== undefined;
}

type Subject = { readonly provider: string; readonly providerId: string };

function digestOf({ provider, providerId }: Subject): Buffer {
  return hashToken(`${provider} ${providerId}`);
}

/** Outlives the way to sign in and the person. */
export async function rememberSubject(tx: Transaction, connectionId: string, subject: Subject): Promise<void> {
  const values = { digest: digestOf(subject), connectionId };
  await tx.execute(
    query
      .insertInto('connection_subjects')
      .values(values)
      .onConflict((conflict) => conflict.doNothing()),
  );
}

/** Whether the subject has ever led to a person. */
export async function isRememberedSubject(tx: Transaction, subject: Subject): Promise<boolean> {
  const found = query.selectFrom('connection_subjects').where('digest', '=', digestOf(subject));
  return (await tx.one(found.select('connectionId'))) !== undefined;
}

/** As the name of a person in place of a subject, which no provider gives. */
function personOf(connectionId: string, userId: string): Subject {
  return { provider: `${providerOfConnection(connectionId)} person`, providerId: userId };
}

/** That the person was linked by it; outlives the link. Who has ended it is linked by word. */
export async function rememberLinked(tx: Transaction, connectionId: string, userId: string): Promise<void> {
  await rememberSubject(tx, connectionId, personOf(connectionId, userId));
}

export async function wasLinked(tx: Transaction, connectionId: string, userId: string): Promise<boolean> {
  return isRememberedSubject(tx, personOf(connectionId, userId));
}

const useMs = 60_000;

/** To the minute: at each sign-in the row would be a queue for all people of the organization. */
export async function noteUse(tx: Transaction, id: string, now: Date): Promise<void> {
  const before = new Date(now.getTime() - useMs).toISOString();
  const used = query.updateTable('connections').set({ lastUsedAt: now.toISOString() }).where('id', '=', id);
  await tx.execute(used.where(({ or, eb }) => or([eb('lastUsedAt', 'is', null), eb('lastUsedAt', '<', before)])));
}

/** Whether a session came by an organization's provider. */
export async function cameByConnection(reader: Reader, sessionId: string): Promise<boolean> {
  const found = query.selectFrom('sessions').where('id', '=', sessionId).where('connectionId', 'is not', null).select('id');
  return (await reader.query(found)).length > 0;
}

/**
 * Active ones of SAML whose metadata has an address and was not asked for since, locked and marked:
 * no other replica asks at the same time.
 */
export async function takeMetadataDue(tx: Transaction, before: Date, now: Date, most: number): Promise<Connection[]> {
  const due = living
    .where('status', '=', 'active')
    .where(sql<boolean>`connections.saml ->> 'metadataUrl' IS NOT NULL`)
    .where(({ or, eb }) => or([eb('metadataAskedAt', 'is', null), eb('metadataAskedAt', '<', before.toISOString())]));
  const rows = await tx.query(
    due
      .select(columns)
      .orderBy('metadataAskedAt', (order) => order.asc().nullsFirst())
      .limit(most)
      .forUpdate()
      .skipLocked(),
  );
  for (const { id } of rows)
    await tx.execute(query.updateTable('connections').set({ metadataAskedAt: now.toISOString() }).where('id', '=', id));
  return rows;
}

/** What its metadata says now, of the same provider. */
export async function replaceSamlProvider(tx: Transaction, id: string, saml: SamlProvider, now: Date): Promise<void> {
  const json = sql<SamlProvider>`${JSON.stringify(saml)}::jsonb`;
  await tx.execute(
    query
      .updateTable('connections')
      .set({ saml: json, updatedAt: changedAt(now) })
      .where('id', '=', id),
  );
}

/** Those that another key has encrypted, by id; locked, without those that are locked already. */
export async function lockConnectionsSealedBefore(tx: Transaction, keyId: string, after: string | undefined, most: number) {
  const sealed = query.selectFrom('connections').where('sealedWith', '<>', keyId);
  const rows = await tx.query(
    (after === undefined ? sealed : sealed.where('id', '>', after))
      .select(['id', 'clientSecret as secret', 'sealedWith'])
      .orderBy('id')
      .limit(most)
      .forUpdate()
      .skipLocked(),
  );
  return rows.flatMap(({ id, secret, sealedWith }) => (secret === null || sealedWith === null ? [] : [{ id, secret, sealedWith }]));
}

export async function replaceConnectionSecret(tx: Transaction, id: string, { secret, sealedWith }: SealedSecret): Promise<void> {
  await tx.execute(query.updateTable('connections').set({ clientSecret: secret, sealedWith }).where('id', '=', id));
}
