import { column, references, table, timestamp } from '@tessera/kernel/postgres';
import { bytes } from './fields.ts';
import { organizations } from './organizations.ts';

/** How the operator restricts a tenant. A limit of NULL is the configured one, of requests none. */
export const tenantRestrictions = table(
  'tenant_restrictions',
  {
    tenantId: column.uuid().primary(),
    tenant: column.text().$type<'account' | 'organization'>(),
    suspendedAt: timestamp().nullable(),
    suspensionReason: column.text().nullable(),
    mostMembers: column.integer().nullable(),
    mostProjects: column.integer().nullable(),
    mostApiKeys: column.integer().nullable(),
    requestsPerMinute: column.integer().nullable(),
    /** Of an organization: its service accounts may make organizations. */
    canProvision: column.boolean().defaultRaw('false'),
    updatedAt: timestamp().defaultRaw('now()'),
  },
  {
    indexes: [{ name: 'tenant_restrictions_suspended', properties: ['suspendedAt'], where: 'suspended_at IS NOT NULL' }],
    checks: [
      { name: 'tenant_restrictions_tenant_check', expression: `tenant IN ('account', 'organization')` },
      { name: 'tenant_restrictions_most_members_check', expression: 'most_members >= 0' },
      { name: 'tenant_restrictions_most_projects_check', expression: 'most_projects >= 0' },
      { name: 'tenant_restrictions_most_api_keys_check', expression: 'most_api_keys >= 0' },
      { name: 'tenant_restrictions_requests_per_minute_check', expression: 'requests_per_minute > 0' },
    ],
  },
);

/** What service accounts made, by their maker's own name for it. */
export const provisionedOrganizations = table(
  'provisioned_organizations',
  {
    organizationId: references(organizations).primary(),
    /** 'platform', or the id of the organization whose service account made it. */
    place: column.text(),
    externalId: bytes().nullable(),
  },
  {
    uniques: [{ name: 'provisioned_organizations_external_id', properties: ['place', 'externalId'] }],
    checks: [{ name: 'provisioned_organizations_external_id_check', expression: 'char_length(external_id) <= 255' }],
  },
);
