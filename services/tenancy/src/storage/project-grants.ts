import { type PageRequest, type Params, pageList, statement, type Transaction } from '@tessera/kernel/postgres';
import { type SqlBool, sql } from 'kysely';
import { type GrantMove, type GrantStatus, grantMoves, type ProjectGrant } from '../domain/project-grant.ts';
import type { Voucher } from '../domain/voucher.ts';
import { changedNow, now, query } from './query.ts';

const columns = [
  ...(['id', 'projectId', 'ownerOrganizationId', 'organizationId', 'status', 'roleIds', 'allowCustomRoles', 'maxMembers'] as const),
  ...(['metadata', 'reason', 'email', 'expiresAt', 'isMailed', 'createdAt', 'updatedAt', 'acceptedAt', 'endedAt'] as const),
] as const;

/** Who asks: the owner about one of its projects, or a customer about what it uses. */
export type GrantSide = { readonly ownerOrganizationId: string; readonly projectId: string } | { readonly organizationId: string };

function ofSide(side: GrantSide) {
  const rows = query.selectFrom('project_grants');
  return 'organizationId' in side
    ? rows.where('organizationId', '=', side.organizationId)
    : rows.where('ownerOrganizationId', '=', side.ownerOrganizationId).where('projectId', '=', side.projectId);
}

export type NewGrant = Pick<
  ProjectGrant,
  'id' | 'projectId' | 'ownerOrganizationId' | 'organizationId' | 'roleIds' | 'allowCustomRoles' | 'maxMembers' | 'metadata'
> & { readonly createdBy: string; readonly voucher?: Voucher };
export type NewOffer = Omit<NewGrant, 'organizationId'> & {
  readonly email: string;
  readonly tokenHash: Buffer;
  readonly expiresAt: string;
  readonly isMailed: boolean;
};

/** Undefined when the pair has one that lives. */
export function insertGrant(tx: Transaction, grant: NewGrant): Promise<ProjectGrant | undefined> {
  return tx.one(
    query
      .insertInto('project_grants')
      .values({ ...grant, status: 'offered' })
      // Literals: the condition must be the one of the partial index.
      .onConflict((conflict) =>
        conflict
          .columns(['projectId', 'organizationId'])
          .where(
            'status',
            'in',
            grantMoves.end.from.map((status) => sql.lit(status)),
          )
          .doNothing(),
      )
      .returning(columns),
  );
}

/** Undefined when the address has an open offer of the project. One whose time is over ends. */
export async function insertOffer(tx: Transaction, offer: NewOffer): Promise<ProjectGrant | undefined> {
  await tx.execute(
    query
      .updateTable('project_grants')
      .set({ status: 'ended', endedAt: now, updatedAt: changedNow })
      .where('projectId', '=', offer.projectId)
      .where('email', '=', offer.email)
      .where('organizationId', 'is', null)
      .where('status', '=', 'offered')
      .where('expiresAt', '<=', now),
  );
  return tx.one(
    query
      .insertInto('project_grants')
      .values({ ...offer, status: 'offered' })
      .onConflict((conflict) =>
        conflict.columns(['projectId', 'email']).where('organizationId', 'is', null).where('status', '=', sql.lit('offered')).doNothing(),
      )
      .returning(columns),
  );
}

const makerOf = statement('project_grants_maker_of_offer', (p: Params<{ id: string; organizationId: string | null }>) =>
  query
    .selectFrom('project_grants')
    .where('id', '=', p.id)
    .where('status', '=', 'offered')
    .where(sql<SqlBool>`organization_id IS NOT DISTINCT FROM ${p.organizationId}::uuid`)
    .select(['voucher', 'createdBy', 'projectId', 'ownerOrganizationId']),
);

/** Who answers for an open offer: to this organization, or (null) by mail. As the owner. */
export async function findMakerOfOffer(db: Pick<Transaction, 'query'>, id: string, organizationId: string | null) {
  const [offer] = await db.query(makerOf, { id, organizationId });
  if (offer === undefined) return undefined;
  const { voucher, createdBy, ...place } = offer;
  const maker: Voucher = voucher ?? { type: 'session', userId: createdBy, tokenId: '' };
  return { ...place, maker };
}

const offerByToken = statement('project_grants_by_token', (p: Params<{ tokenHash: Buffer }>) =>
  query
    .selectFrom('project_grants as g')
    .innerJoin('projects as p', 'p.id', 'g.projectId')
    .innerJoin('organizations as o', 'o.id', 'g.ownerOrganizationId')
    .where('p.deletedAt', 'is', null)
    .where('o.deletedAt', 'is', null)
    .where('g.tokenHash', '=', p.tokenHash)
    .select(columns.map((name) => `g.${name}` as const))
    .select(sql<boolean>`g.expires_at <= now()`.as('isExpired')),
);
export type OfferOfToken = ProjectGrant & { readonly email: string; readonly isExpired: boolean };

/** Runs as the owner: the token is the credential. */
export async function findOfferByToken(db: Pick<Transaction, 'query'>, tokenHash: Buffer): Promise<OfferOfToken | undefined> {
  const [offer] = await db.query(offerByToken, { tokenHash });
  return offer?.email == null ? undefined : { ...offer, email: offer.email };
}

const answer = statement(
  'project_grants_answer_offer',
  `SELECT ${columns.map((name) => `${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)} AS "${name}"`).join(', ')}
   FROM answer_offer($1, $2, $3, $4)`,
);
type Answer = { readonly id: string; readonly tokenHash: Buffer; readonly organizationId: string; readonly isTaken: boolean };

/**
 * An organization takes or declines an offer by mail, once: undefined when it is not open any more.
 * A pair that has a grant is a unique violation of `project_grants_pair`.
 */
export async function answerOffer(tx: Transaction, { id, tokenHash, organizationId, isTaken }: Answer): Promise<ProjectGrant | undefined> {
  const [grant] = await tx.query<ProjectGrant>(answer, [id, tokenHash, organizationId, isTaken]);
  return grant;
}

export function findGrant(tx: Transaction, side: GrantSide, id: string): Promise<ProjectGrant | undefined> {
  return tx.one(ofSide(side).where('id', '=', id).select(columns));
}

/** The same, locked until the commit. */
export function lockGrant(tx: Transaction, side: GrantSide, id: string): Promise<ProjectGrant | undefined> {
  return tx.one(ofSide(side).where('id', '=', id).select(columns).forUpdate());
}

/**
 * One step from a state that allows it; undefined from any other. Of two steps at the same time the
 * second waits, and finds the state of the first.
 */
export function moveGrant(tx: Transaction, id: string, move: GrantMove, reason: string | null = null): Promise<ProjectGrant | undefined> {
  const { from, to }: { readonly from: readonly GrantStatus[]; readonly to: GrantStatus } = grantMoves[move];
  const times = to === 'ended' || to === 'declined' ? { endedAt: now } : {};
  return tx.one(
    query
      .updateTable('project_grants')
      .set({ status: to, reason, updatedAt: changedNow, ...times, ...(move === 'accept' ? { acceptedAt: now } : {}) })
      .where('id', '=', id)
      .where('status', 'in', from)
      .returning(columns),
  );
}

type Changes = {
  readonly roleIds?: readonly string[] | null | undefined;
  readonly allowCustomRoles?: boolean | undefined;
  readonly maxMembers?: number | null | undefined;
  readonly metadata?: Record<string, unknown> | undefined;
};

/** The owner's terms. A field that is left out keeps its value. The caller has locked the row. */
export function updateGrant(tx: Transaction, id: string, { roleIds, ...changes }: Changes): Promise<ProjectGrant | undefined> {
  return tx.one(
    query
      .updateTable('project_grants')
      .set({ ...changes, ...(roleIds === undefined ? {} : { roleIds: roleIds === null ? null : [...roleIds] }), updatedAt: changedNow })
      .where('id', '=', id)
      .returning(columns),
  );
}

const livingStates = grantMoves.end.from;

/** With the names of its sides, which are gone once the rows are deleted. */
export type EndedGrant = ProjectGrant & { readonly customerName: string; readonly ownerName: string; readonly projectName: string };
const nameOf = (table: 'organizations' | 'projects', id: string) =>
  sql<string>`coalesce((SELECT n.name FROM ${sql.table(table)} n WHERE n.id = ${sql.ref(`project_grants.${id}`)}), '')`;

/**
 * Ends what lives of a project, or of an organization on either side. Call it before these are
 * deleted.
 */
export function endGrants(
  tx: Transaction,
  deleted: { readonly projectId: string } | { readonly organizationId: string },
): Promise<EndedGrant[]> {
  return tx.query(
    query
      .updateTable('project_grants')
      .set({ status: 'ended', endedAt: now, updatedAt: changedNow })
      .where('status', 'in', livingStates)
      .where(({ eb, or }) =>
        'projectId' in deleted
          ? eb('projectId', '=', deleted.projectId)
          : or([eb('organizationId', '=', deleted.organizationId), eb('ownerOrganizationId', '=', deleted.organizationId)]),
      )
      .returning(columns)
      .returning([
        nameOf('organizations', 'organizationId').as('customerName'),
        nameOf('organizations', 'ownerOrganizationId').as('ownerName'),
        nameOf('projects', 'projectId').as('projectName'),
      ]),
  );
}

/** Whether the organization uses the project now. As the owner of the tables. */
export async function isActiveGrant(
  reader: Pick<Transaction, 'query'>,
  { organizationId, projectId }: { readonly organizationId: string; readonly projectId: string },
): Promise<boolean> {
  const pair = query.selectFrom('project_grants').where('projectId', '=', projectId).where('organizationId', '=', organizationId);
  return (await reader.query(pair.where('status', '=', 'active').select('id'))).length > 0;
}

type OfPerson = { readonly userId: string; readonly ownerOrganizationId: string; readonly projectId: string; readonly only: string | null };

/**
 * The owner in its first row, then the customers by name: those that have the person as a member
 * and may use the project now. None when the operator has suspended the owner; without each
 * customer that is suspended.
 */
const places = statement('project_grants_places', (p: Params<OfPerson>) => {
  const suspended = (id: string) =>
    sql<SqlBool>`exists (select from tenant_restrictions r where r.tenant_id = ${sql.ref(id)} and r.suspended_at is not null)`;
  const active = query
    .selectFrom('project_grants as g')
    .where('g.projectId', '=', p.projectId)
    .where('g.ownerOrganizationId', '=', p.ownerOrganizationId)
    .where('g.status', '=', 'active');
  return query
    .selectFrom('organization_projects as l')
    .innerJoin('projects as p', 'p.id', 'l.projectId')
    .innerJoin('organizations as o', 'o.id', 'l.organizationId')
    .where('l.organizationId', '=', p.ownerOrganizationId)
    .where('l.projectId', '=', p.projectId)
    .where('p.deletedAt', 'is', null)
    .where('o.deletedAt', 'is', null)
    .select(['o.id as organizationId', 'o.name', 'o.slug', sql<boolean>`true`.as('isOwner')])
    .select(({ exists }) => exists(active.select('g.id')).as('isGranted'))
    .unionAll(
      active
        .innerJoin('organizations as o', 'o.id', 'g.organizationId')
        .innerJoin('organization_users as m', 'm.organizationId', 'o.id')
        .where('m.userId', '=', p.userId)
        .where('o.deletedAt', 'is', null)
        .where(sql<SqlBool>`(${p.only}::uuid is null or o.id = ${p.only}::uuid)`)
        .where(({ not }) => not(suspended('g.organization_id')))
        .where(({ not }) => not(suspended('g.owner_organization_id')))
        .select(['o.id as organizationId', 'o.name', 'o.slug', sql<boolean>`false`.as('isOwner'), sql<SqlBool>`true`.as('isGranted')]),
    )
    .orderBy('isOwner', 'desc')
    .orderBy('name')
    .orderBy('organizationId');
});

/** Runs as the owner of the tables: the places of one person are in many organizations. */
export function findPlaces(db: Pick<Transaction, 'query'>, person: OfPerson) {
  return db.query(places, person);
}

const lockSignUpsQuery = statement(
  'project_grants_lock_sign_ups',
  "SELECT pg_advisory_xact_lock(hashtextextended('sign-ups of ' || $1, 0)) AS lock",
);

/** Until the commit no other request makes an organization of this person at a sign-in. */
export async function lockSignUps(tx: Transaction, userId: string): Promise<void> {
  await tx.query(lockSignUpsQuery, [userId]);
}

type PersonInProduct = Omit<OfPerson, 'only'>;
const customersOf = statement('project_grants_customers_of', (p: Params<PersonInProduct>) =>
  query
    .selectFrom('project_grants as g')
    .innerJoin('organizations as o', 'o.id', 'g.organizationId')
    .innerJoin('organization_users as m', 'm.organizationId', 'o.id')
    .where('g.projectId', '=', p.projectId)
    .where('g.ownerOrganizationId', '=', p.ownerOrganizationId)
    .where('g.status', 'in', ['active', 'suspended'])
    .where('m.userId', '=', p.userId)
    .where('o.deletedAt', 'is', null)
    .select(['o.id', 'o.name', 'o.slug'])
    .select(({ eb, and }) => [
      eb('g.status', '=', 'active').as('isActive'),
      // Both were made by the person: at a sign-in, because an offer is made by the other side.
      and([eb('g.createdBy', '=', p.userId), eb('o.createdBy', '=', p.userId)]).as('isSignedUp'),
    ])
    .orderBy('o.createdAt')
    .orderBy('o.id'),
);

/**
 * The organizations of a person that hold a grant of the project, be it suspended. Runs as the
 * owner of the tables.
 */
export function findCustomersOf(db: Pick<Transaction, 'query'>, person: PersonInProduct) {
  return db.query(customersOf, person);
}

const barred = statement('project_grants_barred', ({ userId, projectId }: Params<Pick<PersonInProduct, 'userId' | 'projectId'>>) =>
  query.selectFrom('barred_sign_ups').where('projectId', '=', projectId).where('userId', '=', userId).select('organizationId').limit(1),
);

/**
 * Whether the owner of the project has suspended or ended a customer that the person made, or came
 * to as its invited Owner, be it deleted since. Ask it after `findCustomersOf`.
 */
export async function isBarred(db: Pick<Transaction, 'query'>, { userId, projectId }: PersonInProduct): Promise<boolean> {
  return (await db.query(barred, { userId, projectId })).length > 0;
}

const bar = statement('project_grants_bar', 'SELECT bar_sign_ups($1, $2)');

/** Of a grant that its owner has just suspended or ended. An active one ends it (migration 029). */
export async function barSignUps(tx: Transaction, grantId: string, ownerRole: string): Promise<void> {
  await tx.query(bar, [grantId, ownerRole]);
}

const organizationsOf = statement('project_grants_organizations_of', (p: Params<{ userId: string }>) =>
  query
    .selectFrom('organization_users as m')
    .innerJoin('organizations as o', 'o.id', 'm.organizationId')
    .leftJoin('project_grants as g', (on) => on.onRef('g.organizationId', '=', 'o.id').on('g.status', '=', sql.lit('active')))
    .leftJoin('projects as p', (on) => on.onRef('p.id', '=', 'g.projectId').on('p.deletedAt', 'is', null))
    .where('m.userId', '=', p.userId)
    .where('o.deletedAt', 'is', null)
    .select(['o.id as organizationId', 'o.name', 'o.slug', 'g.id as grantId', 'p.id as projectId', 'p.name as projectName'])
    .orderBy('m.joinedAt')
    .orderBy('o.id')
    .orderBy('p.name')
    .orderBy('g.id'),
);

/** All organizations of a person, and a row for each project that one uses. Runs as the owner. */
export function listOrganizationsOf(db: Pick<Transaction, 'query'>, userId: string) {
  return db.query(organizationsOf, { userId });
}

type Asked = PageRequest & { readonly status?: GrantStatus | undefined };
type StatusParam = { readonly status: string | null };

/** With the names by which a list is searched and sorted. An offer by mail has no customer yet. */
function listed() {
  return query
    .selectFrom('project_grants as g')
    .leftJoin('organizations as customer', 'customer.id', 'g.organizationId')
    .innerJoin('projects as p', 'p.id', 'g.projectId');
}
function withStatus({ status }: Params<StatusParam>) {
  return sql<SqlBool>`(${status}::text is null or g.status = ${status}::text)`;
}
const listedColumns = columns.map((name) => `g.${name}` as const);
const dates = { createdAt: 'g.createdAt', updatedAt: 'g.updatedAt' } as const;

const ofOwner = pageList((p: Params<{ ownerOrganizationId: string; projectId: string } & StatusParam>) => {
  const from = listed()
    .where('g.ownerOrganizationId', '=', p.ownerOrganizationId)
    .where('g.projectId', '=', p.projectId)
    .where(withStatus(p));
  return {
    name: 'project_grants_of_owner',
    from,
    select: (rows: typeof from) => rows.select(listedColumns),
    search: ['customer.name', 'customer.slug', 'g.email'],
    sort: { fields: { ...dates, name: 'customer.name' }, default: 'createdAt' },
    id: 'g.id',
  };
});
const ofCustomer = pageList((p: Params<{ organizationId: string } & StatusParam>) => {
  const from = listed().where('g.organizationId', '=', p.organizationId).where(withStatus(p));
  return {
    name: 'project_grants_of_customer',
    from,
    select: (rows: typeof from) => rows.select(listedColumns),
    search: ['p.name'],
    sort: { fields: { ...dates, name: 'p.name' }, default: 'createdAt' },
    id: 'g.id',
  };
});

/** `search`: the owner finds names of customers, a customer those of projects. */
export function pageGrants(tx: Transaction, side: GrantSide, { status, ...input }: Asked) {
  return 'organizationId' in side
    ? ofCustomer(tx, { organizationId: side.organizationId, status: status ?? null }, input)
    : ofOwner(tx, { ...side, status: status ?? null }, input);
}
