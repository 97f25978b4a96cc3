import { pageFields, pageOf, strict, toPage } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { pageTenants } from '../../storage/tenants.ts';
import { provisioners } from './administrator.ts';
import { TenantSchema, tenantKinds } from './tenant.ts';

const { relations: _, ...page } = pageFields(['name', 'createdAt', 'suspendedAt']);

export const listTenants = operation({
  name: 'listTenants',
  summary: 'All accounts and organizations, with their counts, limits and suspensions',
  kind: 'query',
  input: strict({
    ...page,
    tenant: Type.Optional(Type.Enum([...tenantKinds])),
    isSuspended: Type.Optional(Type.Boolean({ description: 'Only those that are suspended, or only the others' })),
  }),
  output: pageOf(TenantSchema),
  access: provisioners,
  scopes: 'none',
  verification: 'organization',
  isolation: { unscoped: 'platform administrators stand above the tenants' },
  errors: ['FORBIDDEN', 'SECOND_FACTOR_REQUIRED', 'SERVICE_UNAVAILABLE'],
  audit: { none: 'a list' },
  events: [],
  rest: { method: 'GET', path: '/api/platform/tenants' },
  graphql: { field: 'tenants', type: 'PlatformTenantPage', items: 'tenants' },
  handle: async ({ tenant, isSuspended, ...input }, { tx }) => {
    const { rows, totalCount } = await pageTenants(tx, { tenant, isSuspended }, input);
    return toPage(rows, totalCount, input);
  },
});
