import { findPage, type Page, type PageRequest, type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import type { AppType, AuthMethod } from '@tessera/rules/app-types';
import type { ClaimMapping } from '@tessera/rules/claims';
import { type ExpressionBuilder, sql } from 'kysely';
import type { LeftOutClaims, ProjectApp, ProjectScope, Voucher } from '../../ground/domain/project-app.ts';
import { changedAt, query, type Tables } from '../../ground/storage/query.ts';
import type { Reader } from '../../ground/storage/reader.ts';
import { type AppSecretDigest, fromJson, secretsOfApp } from './project-app-secrets.ts';

/** What a client may set. A new field stands here, in the table and in the domain's record. */
const settable = [
  'name',
  'redirectUris',
  'scopes',
  'enabledProviders',
  'allowSignUp',
  'signUpRoleId',
  'tokenEndpointAuthMethod',
  'jwks',
  'jwksUri',
  'postLogoutRedirectUris',
  'backchannelLogoutUri',
  'grantTypes',
  'roleId',
  'isFirstParty',
  'requireSecondFactor',
  'requirePkce',
  'actsInGrants',
  'allowOrganizationSignUp',
  'allowEmailCode',
  'dpopBoundAccessTokens',
  'idTokenSignedResponseAlg',
  'mayAct',
  'claims',
] as const;
export type AppFields = Pick<ProjectApp, (typeof settable)[number]>;

const columns = [
  'id',
  'clientId',
  'scopeTenant',
  'scopeId',
  ...settable,
  'leftOutClaims',
  'createdBy',
  'vouchedBy',
  'voucher',
  'type',
  'documentUrl',
  'createdAt',
  'updatedAt',
  'deletedAt',
] as const;

type Row = Omit<ProjectApp, 'scope' | 'vouchedBy'> & {
  readonly scopeTenant: ProjectScope['tenant'];
  readonly scopeId: string;
  readonly vouchedBy: string | null;
};

function toApp({ scopeTenant, scopeId, vouchedBy, ...app }: Row): ProjectApp {
  return { ...app, scope: { tenant: scopeTenant, id: scopeId }, vouchedBy: vouchedBy ?? app.createdBy };
}

/** Of an app, or of the placeholders of a statement: nothing else that the source has. */
function settableOf<Source extends { readonly [Name in keyof AppFields]: unknown }>(source: Source): Pick<Source, keyof AppFields> {
  // fromEntries forgets which names there are.
  return Object.fromEntries(settable.map((name) => [name, source[name]])) as Pick<Source, keyof AppFields>;
}

/** The claims as text: the driver would make an array of Postgres of a list. */
type Fields = Omit<AppFields, 'claims'> & { readonly claims: string; readonly now: string };
function fieldsOf(p: Params<Fields>) {
  return { ...settableOf(p), claims: sql<readonly ClaimMapping[]>`${p.claims}::text::jsonb`, updatedAt: p.now };
}

type Place = { id: string; tenant: ProjectScope['tenant']; scopeId: string };

function isAppInScope(p: Params<Place>) {
  return ({ and, eb }: ExpressionBuilder<Tables, 'project_apps'>) =>
    and([eb('id', '=', p.id), eb('scopeTenant', '=', p.tenant), eb('scopeId', '=', p.scopeId), eb('deletedAt', 'is', null)]);
}

type Vouching = { vouchedBy: string; voucher: Voucher };
type Insert = Fields &
  Vouching &
  Pick<ProjectApp, 'id' | 'clientId' | 'type' | 'documentUrl'> & { scopeTenant: ProjectScope['tenant']; scopeId: string };
const insertQuery = statement('identity_insert_project_app', (p: Params<Insert>) =>
  query
    .insertInto('project_apps')
    .values({
      ...fieldsOf(p),
      id: p.id,
      clientId: p.clientId,
      type: p.type,
      documentUrl: p.documentUrl,
      scopeTenant: p.scopeTenant,
      scopeId: p.scopeId,
      createdBy: p.vouchedBy,
      createdAt: p.now,
      vouchedBy: p.vouchedBy,
      voucher: p.voucher,
    })
    .returning(columns),
);
const findByClientQuery = statement('identity_find_project_app_by_client', ({ clientId }: Params<{ clientId: string }>) =>
  query
    .selectFrom('project_apps')
    .where('clientId', '=', clientId)
    .where('deletedAt', 'is', null)
    .where('type', 'is', null)
    .select(columns),
);
const findTypedQuery = statement('identity_find_typed_project_app', ({ clientId }: Params<{ clientId: string }>) =>
  query
    .selectFrom('project_apps')
    .where('clientId', '=', clientId)
    .where('deletedAt', 'is', null)
    .where('type', 'is not', null)
    .select(columns),
);
type AtAddress = { tenant: ProjectScope['tenant']; scopeId: string; documentUrl: string };
const findDocumentQuery = statement('identity_find_app_of_document', (p: Params<AtAddress>) =>
  query
    .selectFrom('project_apps')
    .where('documentUrl', '=', p.documentUrl)
    .where('scopeId', '=', p.scopeId)
    .where('scopeTenant', '=', p.tenant)
    .where('deletedAt', 'is', null)
    .select(columns),
);
const findClientQuery = statement('identity_find_openid_client', ({ clientId }: Params<{ clientId: string }>) =>
  query
    .selectFrom('project_apps')
    .where('clientId', '=', clientId)
    .where('deletedAt', 'is', null)
    .where('type', 'is not', null)
    .select(columns)
    .select(({ ref }) => secretsOfApp(ref('project_apps.id')).as('secrets')),
);
const findQuery = statement('identity_find_project_app', (p: Params<Place>) =>
  query.selectFrom('project_apps').where(isAppInScope(p)).select(columns),
);
const findByIdQuery = statement('identity_find_project_app_by_id', ({ id }: Params<{ id: string }>) =>
  query.selectFrom('project_apps').where('id', '=', id).where('deletedAt', 'is', null).select(columns),
);
type MachinePage = { readonly tenant: ProjectScope['tenant']; readonly scopeId: string; readonly ids: readonly string[] } & {
  readonly after: string;
  readonly limit: number;
};
const listMachinesQuery = statement('identity_list_machine_apps', (p: Params<MachinePage>) =>
  query
    .selectFrom('project_apps')
    .where('scopeTenant', '=', p.tenant)
    .where('scopeId', '=', p.scopeId)
    .where('deletedAt', 'is', null)
    .where('type', '=', sql.lit('machine'))
    .where(({ eb, or, fn }) =>
      or([eb(fn('cardinality', [sql<string[]>`${p.ids}::uuid[]`]), '=', sql.lit(0)), eb('id', '=', fn.any(p.ids))]),
    )
    .where('id', '>', sql<string>`coalesce(nullif(${p.after}::text, '')::uuid, '00000000-0000-0000-0000-000000000000')`)
    .orderBy('id')
    .limit(p.limit)
    .select(columns),
);
const lockQuery = statement('identity_lock_project_app', (p: Params<Place>) =>
  query.selectFrom('project_apps').where(isAppInScope(p)).select(columns).forUpdate(),
);
const updateQuery = statement(
  'identity_update_project_app',
  (p: Params<Place & Fields & { [Name in keyof Vouching]: Vouching[Name] | null }>) =>
    query
      .updateTable('project_apps')
      .set(({ fn, ref }) => ({
        ...fieldsOf(p),
        updatedAt: sql`greatest(${p.now}::timestamptz, updated_at + interval '1 millisecond')`,
        vouchedBy: fn.coalesce(p.vouchedBy, ref('vouchedBy')),
        voucher: fn.coalesce(p.voucher, ref('voucher')),
        leftOutClaims: sql<LeftOutClaims | null>`CASE WHEN claims = ${p.claims}::text::jsonb THEN left_out_claims END`,
      }))
      .where(isAppInScope(p))
      .returning(columns),
);
const stopQuery = statement('identity_stop_project_apps', (p: Params<{ userId: string; scopeId: string }>) =>
  query
    .updateTable('project_apps')
    .set({ voucher: null })
    .where('vouchedBy', '=', p.userId)
    .where('voucher', 'is not', null)
    .where('scopeId', 'like', sql<string>`${p.scopeId} || '%'`)
    .returning('id'),
);
const softDeleteQuery = statement('identity_soft_delete_project_app', (p: Params<Place & { now: string }>) =>
  query.updateTable('project_apps').set({ deletedAt: p.now, updatedAt: p.now }).where(isAppInScope(p)).returning(columns),
);
const hardDeleteQuery = statement('identity_hard_delete_project_app', (p: Params<Place>) =>
  query.deleteFrom('project_apps').where(isAppInScope(p)).returning(columns),
);
const deleteInScopesQuery = statement('identity_delete_project_apps_in_scopes', (p: Params<{ scopeIds: readonly string[]; now: string }>) =>
  query
    .updateTable('project_apps')
    .set({ deletedAt: p.now, updatedAt: p.now })
    .where('scopeId', '=', ({ fn }) => fn.any(p.scopeIds))
    .where('deletedAt', 'is', null),
);
const removeDeletedQuery = statement('identity_remove_deleted_project_apps', ({ before }: Params<{ before: string }>) =>
  query.deleteFrom('project_apps').where('deletedAt', '<', before),
);
const holdQuery = statement('identity_hold_project_app', (p: Params<{ id: string; updatedAt: string }>) =>
  query
    .selectFrom('project_apps')
    .where('id', '=', p.id)
    .where('deletedAt', 'is', null)
    .where('updatedAt', '=', p.updatedAt)
    .select('id')
    .forShare(),
);

export type NewProjectApp = AppFields &
  Pick<ProjectApp, 'id' | 'clientId' | 'scope' | 'type' | 'documentUrl'> & { readonly voucher: Voucher };

function valuesOf(app: AppFields, now: Date): Fields {
  return { ...settableOf(app), claims: JSON.stringify(app.claims), now: now.toISOString() };
}

function placeOf({ tenant, id: scopeId }: ProjectScope, id: string): Place {
  return { id, tenant, scopeId };
}

export async function insertProjectApp(tx: Transaction, app: NewProjectApp, now: Date): Promise<ProjectApp> {
  const { id, clientId, type, documentUrl, scope, voucher } = app;
  const place = { scopeTenant: scope.tenant, scopeId: scope.id };
  const inserted = await tx.one(insertQuery, {
    ...valuesOf(app, now),
    ...place,
    id,
    clientId,
    type,
    documentUrl,
    voucher,
    vouchedBy: voucher.userId,
  });
  if (inserted === undefined) throw new Error('an insert returned no row');
  return toApp(inserted);
}

/**
 * An app without a type by its client id, in any project: for people who sign in by the fragment
 * flow.
 */
export async function findProjectAppByClient(reader: Reader, clientId: string): Promise<ProjectApp | undefined> {
  const [found] = await reader.query(findByClientQuery, { clientId });
  return found && toApp(found);
}

export type TypedApp = ProjectApp & { readonly type: AppType; readonly tokenEndpointAuthMethod: AuthMethod };

/** An app with a type by its client id, in any project: an OpenID client. */
export async function findTypedApp(reader: Reader, clientId: string): Promise<TypedApp | undefined> {
  const [found] = await reader.query(findTypedQuery, { clientId });
  return found && typedOf(found);
}

function typedOf(found: Row): TypedApp | undefined {
  const { type, tokenEndpointAuthMethod } = found;
  // The check project_apps_typed keeps both together.
  return type === null || tokenEndpointAuthMethod === null ? undefined : { ...toApp(found), type, tokenEndpointAuthMethod };
}

/** An app of either kind by its client id, in any project: for what people may know of it. */
export async function findAppOfClient(reader: Reader, clientId: string): Promise<ProjectApp | undefined> {
  return (await findTypedApp(reader, clientId)) ?? findProjectAppByClient(reader, clientId);
}

export type ClientApp = { readonly app: TypedApp; readonly secrets: readonly AppSecretDigest[] };

/** The same, with its client secrets, in one statement. */
export async function findClientWithSecrets(reader: Reader, clientId: string): Promise<ClientApp | undefined> {
  const [row] = await reader.query(findClientQuery, { clientId });
  if (row === undefined) return undefined;
  const { secrets, ...found } = row;
  const { type, tokenEndpointAuthMethod } = found;
  if (type === null || tokenEndpointAuthMethod === null) return undefined;
  return { app: { ...toApp(found), type, tokenEndpointAuthMethod }, secrets: fromJson(secrets) };
}

/** The client that is known by the document at this address, in one project. */
export async function findDocumentApp(reader: Reader, { tenant, id }: ProjectScope, documentUrl: string): Promise<TypedApp | undefined> {
  const [found] = await reader.query(findDocumentQuery, { tenant, scopeId: id, documentUrl });
  return found && typedOf(found);
}

/** In any project: for people on their way to it. */
export async function findProjectAppById(reader: Reader, id: string): Promise<ProjectApp | undefined> {
  const [found] = await reader.query(findByIdQuery, { id });
  return found && toApp(found);
}

/** Undefined also for an app of another project. */
export async function findProjectApp(reader: Reader, scope: ProjectScope, id: string): Promise<ProjectApp | undefined> {
  const [found] = await reader.query(findQuery, placeOf(scope, id));
  return found && toApp(found);
}

/** A typed app of the project in which a scope lies: also of one that another organization uses. */
export async function findAppActingIn(reader: Reader, { tenant, id: scopeId }: ProjectScope, id: string): Promise<ProjectApp | undefined> {
  const [found] = await reader.query(
    query
      .selectFrom('project_apps')
      .where('id', '=', id)
      .where('scopeTenant', '=', tenant)
      .where(sql<string>`split_part(scope_id, ':', 2)`, '=', scopeId.slice(scopeId.indexOf(':') + 1))
      .where('deletedAt', 'is', null)
      .where('type', 'is not', null)
      .select(columns),
  );
  return found && toApp(found);
}

/** Machine apps of a project, by id. */
export async function listMachineApps(reader: Reader, page: MachinePage): Promise<ProjectApp[]> {
  return (await reader.query(listMachinesQuery, page)).map(toApp);
}

/**
 * The same, locked until the transaction ends: parallel changes of an app run one after the other.
 */
export async function lockProjectApp(tx: Transaction, scope: ProjectScope, id: string): Promise<ProjectApp | undefined> {
  const found = await tx.one(lockQuery, placeOf(scope, id));
  return found && toApp(found);
}

/** `voucher`: who answers for the app from now on; undefined changes nothing. */
export async function updateProjectApp(
  tx: Transaction,
  { scope, id }: { readonly scope: ProjectScope; readonly id: string },
  app: AppFields,
  voucher: Voucher | undefined,
  now: Date,
): Promise<ProjectApp | undefined> {
  const updated = await tx.one(updateQuery, {
    ...placeOf(scope, id),
    ...valuesOf(app, now),
    voucher: voucher ?? null,
    vouchedBy: voucher?.userId ?? null,
  });
  return updated && toApp(updated);
}

const noteLeftOutQuery = statement(
  'identity_note_left_out_claims',
  (p: Params<{ id: string; leftOut: string; names: string; since: string }>) =>
    query
      .updateTable('project_apps')
      .set({ leftOutClaims: sql<LeftOutClaims>`${p.leftOut}::text::jsonb` })
      .where('id', '=', p.id)
      .where(
        sql<boolean>`(left_out_claims IS NULL OR left_out_claims -> 'names' <> ${p.names}::text::jsonb OR left_out_claims ->> 'at' < ${p.since}::text)`,
      ),
);
const notedAgainMs = 3_600_000;

/** At most once an hour while they are the same: many tokens of one app are issued at once. */
export async function noteLeftOutClaims(tx: Transaction, id: string, names: readonly string[], now: Date): Promise<void> {
  const leftOut = JSON.stringify({ names, at: now.toISOString() } satisfies LeftOutClaims);
  const since = new Date(now.getTime() - notedAgainMs).toISOString();
  await tx.execute(noteLeftOutQuery, { id, leftOut, names: JSON.stringify(names), since });
}

/** What clients that are known by a document may do from now on, and who answers for them. */
export async function directDocumentApps(
  tx: Transaction,
  ids: readonly string[],
  { scopes, voucher }: { readonly scopes: readonly string[]; readonly voucher: Voucher },
  now: Date,
): Promise<void> {
  await tx.execute(
    query
      .updateTable('project_apps')
      .set({ scopes, voucher, vouchedBy: voucher.userId, updatedAt: changedAt(now) })
      .where('id', '=', ({ fn, val }) => fn.any(val(ids))),
  );
}

/**
 * Stops the apps that the user vouches for, in this scope and its projects, or everywhere ('').
 * Returns their ids.
 */
export async function stopAppsOf(tx: Transaction, userId: string, scopeId: string): Promise<string[]> {
  return (await tx.query(stopQuery, { userId, scopeId })).map(({ id }) => id);
}

/** Likewise of one credential of a service account. */
export async function stopAppsOfCredential(tx: Transaction, accountId: string, credentialId: string): Promise<string[]> {
  const stopped = await tx.query(
    query
      .updateTable('project_apps')
      .set({ voucher: null })
      .where('vouchedBy', '=', accountId)
      .where(sql<string>`voucher ->> 'tokenId'`, '=', credentialId)
      .returning('id'),
  );
  return stopped.map(({ id }) => id);
}

export async function deleteProjectAppRow(
  tx: Transaction,
  scope: ProjectScope,
  id: string,
  { hard, now }: { readonly hard: boolean; readonly now: Date },
): Promise<ProjectApp | undefined> {
  const place = placeOf(scope, id);
  const deleted = await (hard ? tx.one(hardDeleteQuery, place) : tx.one(softDeleteQuery, { ...place, now: now.toISOString() }));
  return deleted && toApp(deleted);
}

/** Every app of these projects, by the ids of their scopes. */
export async function deleteProjectAppsInScopes(tx: Transaction, scopeIds: readonly string[], now: Date): Promise<void> {
  await tx.execute(deleteInScopesQuery, { scopeIds, now: now.toISOString() });
}

const countQuery = statement('identity_count_project_apps', (p: Params<{ scopeIds: readonly string[] }>) =>
  query
    .selectFrom('project_apps')
    .where('scopeId', '=', ({ fn }) => fn.any(p.scopeIds))
    .where('deletedAt', 'is', null)
    .where('documentUrl', 'is', null)
    .select(({ fn }) => fn.countAll<number>().as('count')),
);

/** The apps of these projects, by the ids of their scopes. */
export async function countProjectApps(reader: Reader, scopeIds: readonly string[]): Promise<number> {
  const [row] = await reader.query(countQuery, { scopeIds });
  return Number(row?.count ?? 0);
}

export async function removeDeletedProjectApps(tx: Transaction, before: Date): Promise<number> {
  return tx.execute(removeDeletedQuery, { before: before.toISOString() });
}

/**
 * Whether the app is unchanged since it was read. If so it stays unchanged until the transaction
 * ends: a parallel change or deletion waits, and then finds every token that was issued.
 */
export async function holdProjectApp(tx: Transaction, { id, updatedAt }: Pick<ProjectApp, 'id' | 'updatedAt'>): Promise<boolean> {
  return (await tx.one(holdQuery, { id, updatedAt })) !== undefined;
}

export async function pageProjectApps(
  tx: Pick<Transaction, 'query'>,
  scope: ProjectScope,
  input: PageRequest,
  onlyIds: readonly string[] | undefined,
): Promise<Page<ProjectApp>> {
  const { rows, ...page } = await findPage(tx, {
    name: 'identity_page_project_apps',
    from: query
      .selectFrom('project_apps')
      .where('scopeTenant', '=', scope.tenant)
      .where('scopeId', '=', scope.id)
      .where('deletedAt', 'is', null)
      .$if(onlyIds !== undefined, (apps) => apps.where('id', '=', ({ fn, val }) => fn.any(val(onlyIds ?? [])))),
    select: (apps) => apps.select(columns),
    search: ['name'],
    sort: { fields: { name: 'name', createdAt: 'createdAt', updatedAt: 'updatedAt' }, default: 'createdAt' },
    id: 'id',
    input,
  });
  return { ...page, rows: rows.map(toApp) };
}

const clientScopesQuery = statement('identity_list_scopes_of_clients', (p: Params<{ tenant: ProjectScope['tenant']; scopeId: string }>) =>
  query
    .selectFrom('project_apps')
    .where('scopeTenant', '=', p.tenant)
    .where('scopeId', '=', p.scopeId)
    .where('deletedAt', 'is', null)
    .where('type', 'is not', null)
    .select(sql<string>`unnest(scopes)`.as('name'))
    .union(({ selectFrom }) =>
      selectFrom('client_document_rules')
        .where('scopeId', '=', p.scopeId)
        .where('isAllowed', '=', sql.lit(true))
        .select(sql<string>`unnest(scopes)`.as('name')),
    ),
);

/** The scopes that the typed apps of a project can get, sorted. */
export async function listScopesOfClients(reader: Reader, { tenant, id }: ProjectScope): Promise<string[]> {
  return (await reader.query(clientScopesQuery, { tenant, scopeId: id })).map(({ name }) => name).toSorted();
}
