import { findPage, type PageRequest, type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { sql } from 'kysely';
import type { Quotas, Tenant } from '../domain/tenant.ts';
import { invitationStatusIs } from './member-page.ts';
import { query } from './query.ts';

/** Living accounts and organizations as one list, with what restricts them. */
function tenants() {
  const organizations = query
    .selectFrom('organizations')
    .where('deletedAt', 'is', null)
    .select([sql<Tenant['tenant']>`'organization'`.as('tenant'), 'id', 'name', sql<string | null>`slug`.as('slug')])
    .select([sql<string | null>`null::text`.as('email'), sql<string | null>`null::uuid`.as('ownerId'), 'createdAt', 'updatedAt']);
  const accounts = query
    .selectFrom('accounts as a')
    .innerJoin('people as p', 'p.userId', 'a.ownerId')
    .where('a.deletedAt', 'is', null)
    .select([sql<Tenant['tenant']>`'account'`.as('tenant'), 'a.id', 'p.name', sql<string | null>`null::text`.as('slug'), 'p.email'])
    .select([sql<string | null>`a.owner_id`.as('ownerId'), 'a.createdAt', 'a.updatedAt']);
  return query.selectFrom(organizations.unionAll(accounts).as('t')).leftJoin('tenant_restrictions as r', 'r.tenantId', 't.id');
}

const memberCount = sql<number>`(CASE t.tenant WHEN 'account' THEN 1 ELSE
  (SELECT coalesce(sum(c.change), 0) FROM organization_user_changes AS c WHERE c.organization_id = t.id) END)::integer`;
const openInvitationCount = sql<number>`(SELECT count(*) FROM organization_invitations AS i
  WHERE i.organization_id = t.id AND ${sql.raw(invitationStatusIs('pending'))})::integer`;
const projectCount = sql<number>`(SELECT count(*) FROM projects AS p JOIN (
    SELECT project_id FROM organization_projects WHERE organization_id = t.id
    UNION ALL SELECT project_id FROM account_projects WHERE account_id = t.id) AS l ON l.project_id = p.id
  WHERE p.deleted_at IS NULL)::integer`;
const canProvision = sql<boolean>`coalesce(r.can_provision, false)`;
/** Clients tell versions apart by it: a restriction is a change of the tenant. */
const updatedAt = sql<string>`greatest(t.updated_at, r.updated_at)`;

function shown(rows: ReturnType<typeof tenants>) {
  return rows.select([
    ...(['t.tenant', 't.id', 't.name', 't.slug', 't.email', 't.ownerId', 't.createdAt'] as const),
    ...(['r.suspendedAt', 'r.suspensionReason', 'r.mostMembers', 'r.mostProjects', 'r.mostApiKeys'] as const),
    'r.requestsPerMinute',
    canProvision.as('canProvision'),
    memberCount.as('memberCount'),
    openInvitationCount.as('openInvitationCount'),
    projectCount.as('projectCount'),
    updatedAt.as('updatedAt'),
  ]);
}

type Row = Omit<Tenant, 'quotas' | 'deletedAt'> & {
  readonly mostMembers: number | null;
  readonly mostProjects: number | null;
  readonly mostApiKeys: number | null;
  readonly requestsPerMinute: number | null;
};

function toTenant({ mostMembers: members, mostProjects: projects, mostApiKeys: apiKeys, requestsPerMinute, ...row }: Row): Tenant {
  return { ...row, quotas: { members, projects, apiKeys, requestsPerMinute }, deletedAt: null };
}

export type TenantFilter = { readonly tenant?: Tenant['tenant'] | undefined; readonly isSuspended?: boolean | undefined };

export async function pageTenants(tx: Transaction, { tenant, isSuspended }: TenantFilter, input: PageRequest) {
  const ofKind = tenant === undefined ? tenants() : tenants().where('t.tenant', '=', tenant);
  const page = await findPage(tx, {
    name: 'platform_tenants_page',
    from: isSuspended === undefined ? ofKind : ofKind.where('r.suspendedAt', isSuspended ? 'is not' : 'is', null),
    select: shown,
    search: ['t.name', 't.slug', 't.email', sql`t.id::text`],
    sort: { fields: { name: 't.name', createdAt: 't.createdAt', suspendedAt: 'r.suspendedAt' }, default: 'name' },
    id: 't.id',
    input,
  });
  return { ...page, rows: page.rows.map(toTenant) };
}

const find = statement('platform_tenants_find', ({ id }: Params<{ id: string }>) => shown(tenants().where('t.id', '=', id)));
const suspended = statement('platform_tenants_suspended', ({ id }: Params<{ id: string }>) =>
  query.selectFrom('tenant_restrictions').where('tenantId', '=', id).where('suspendedAt', 'is not', null).select('tenantId'),
);

export async function findTenant(tx: Transaction, id: string): Promise<Tenant | undefined> {
  const found = await tx.one(find, { id });
  return found && toTenant(found);
}

/** The same, locked against deletion and other restrictions until the commit. */
export async function lockTenant(tx: Transaction, id: string): Promise<Tenant | undefined> {
  const found = await findTenant(tx, id);
  if (found === undefined) return undefined;
  const table = found.tenant === 'account' ? 'accounts' : 'organizations';
  const living = await tx.one(query.selectFrom(table).where('id', '=', id).where('deletedAt', 'is', null).select('id').forShare());
  if (living === undefined) return undefined;
  const row = { tenantId: id, tenant: found.tenant };
  // A row without a restriction is no change of the tenant: its version stays.
  await tx.execute(
    query
      .insertInto('tenant_restrictions')
      .values({ ...row, updatedAt: new Date(0).toISOString() })
      .onConflict((conflict) => conflict.column('tenantId').doUpdateSet(row)),
  );
  return findTenant(tx, id);
}

/** Whether the operator has suspended the account or organization. Runs as the owner. */
export async function isSuspended(db: Pick<Transaction, 'query'>, id: string): Promise<boolean> {
  return (await db.query(suspended, { id })).length > 0;
}

type Restriction = {
  readonly suspendedAt?: string | null;
  readonly suspensionReason?: string | null;
  readonly mostMembers?: number | null;
  readonly mostProjects?: number | null;
  readonly mostApiKeys?: number | null;
  readonly requestsPerMinute?: number | null;
  readonly canProvision?: boolean;
};

/** Of a tenant that `lockTenant` has found in this transaction. */
export async function restrictTenant(tx: Transaction, id: string, restriction: Restriction): Promise<Tenant | undefined> {
  const later = sql<string>`greatest(now(), updated_at + interval '1 millisecond')`;
  await tx.execute(
    query
      .updateTable('tenant_restrictions')
      .set({ ...restriction, updatedAt: later })
      .where('tenantId', '=', id),
  );
  return findTenant(tx, id);
}

export function limitsOf(quotas: Partial<Quotas>): Restriction {
  return {
    ...(quotas.members === undefined ? {} : { mostMembers: quotas.members }),
    ...(quotas.projects === undefined ? {} : { mostProjects: quotas.projects }),
    ...(quotas.apiKeys === undefined ? {} : { mostApiKeys: quotas.apiKeys }),
    ...(quotas.requestsPerMinute === undefined ? {} : { requestsPerMinute: quotas.requestsPerMinute }),
  };
}
