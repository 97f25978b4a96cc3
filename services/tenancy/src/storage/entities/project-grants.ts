import { column, pivot, references, table, timestamp } from '@tessera/kernel/postgres';
import type { GrantStatus } from '../../domain/project-grant.ts';
import type { Voucher } from '../../domain/voucher.ts';
import { metadata } from './fields.ts';
import { organizations } from './organizations.ts';
import { projects } from './projects.ts';

// As Postgres writes them: what is read once for a statement stands in a SELECT.
const organization = `( SELECT (NULLIF(current_setting('app.current_organization_id'::text, true), ''::text))::uuid AS "nullif")`;
const project = `( SELECT (NULLIF(current_setting('app.current_project_id'::text, true), ''::text))::uuid AS "nullif")`;
/** The customer in its organization; the owner in its own, or in the project (migration 028). */
const bothSides = `((organization_id = ${organization}) OR ((owner_organization_id = ${organization}) AND ((${project} IS NULL) OR (project_id = ${project}))))`;

export const projectGrants = pivot(
  'project_grants',
  {
    id: column.uuid().primary(),
    projectId: references(projects),
    ownerOrganizationId: references(organizations),
    /** NULL until an offer by mail is taken. */
    organizationId: references(organizations).nullable(),
    status: column.text().$type<GrantStatus>(),
    roleIds: column.array<string>().columnType('uuid[]').nullable(),
    allowCustomRoles: column.boolean().defaultRaw('true'),
    maxMembers: column.integer().nullable(),
    metadata: metadata(),
    reason: column.text().nullable(),
    /** Of an offer by mail: where it went, and until when it can be taken. */
    email: column.text().nullable(),
    tokenHash: column.blob().$type<Buffer>().nullable(),
    expiresAt: timestamp().nullable(),
    isMailed: column.boolean().defaultRaw('true'),
    createdBy: column.uuid(),
    createdAt: timestamp().defaultRaw('now()'),
    updatedAt: timestamp().defaultRaw('now()'),
    acceptedAt: timestamp().nullable(),
    endedAt: timestamp().nullable(),
    /** Of an offer, from migration 031 on. */
    voucher: column.json().$type<Voucher>().nullable(),
    /** Kept by a trigger (migration 025). */
    suspendedAt: timestamp().nullable(),
  },
  {
    tenant: { rows: bothSides },
    uniques: [
      { name: 'project_grants_token', properties: ['tokenHash'], where: 'token_hash IS NOT NULL' },
      { name: 'project_grants_address', properties: ['projectId', 'email'], where: `organization_id IS NULL AND status = 'offered'` },
      {
        name: 'project_grants_pair',
        properties: ['projectId', 'organizationId'],
        where: `status IN ('offered', 'active', 'suspended')`,
      },
    ],
    indexes: [
      { name: 'project_grants_customer', properties: ['organizationId', 'createdAt', 'id'] },
      { name: 'project_grants_owner', properties: ['projectId', 'createdAt', 'id'] },
    ],
    checks: [
      { name: 'project_grants_status_check', expression: `status IN ('offered', 'active', 'suspended', 'declined', 'ended')` },
      { name: 'project_grants_max_members_check', expression: 'max_members > 0' },
      { name: 'project_grants_addressee_check', expression: 'organization_id IS NOT NULL OR email IS NOT NULL' },
      { name: 'project_grants_check', expression: 'organization_id <> owner_organization_id' },
    ],
  },
);

/** People who make no new organization at a sign-in to the project (migration 029). */
export const barredSignUps = table(
  'barred_sign_ups',
  {
    projectId: references(projects).primary(),
    userId: column.uuid().primary(),
    /** The customer that the owner suspended or ended. It may be gone. */
    organizationId: column.uuid().primary(),
  },
  { indexes: [{ name: 'barred_sign_ups_user', properties: ['userId'] }] },
);
