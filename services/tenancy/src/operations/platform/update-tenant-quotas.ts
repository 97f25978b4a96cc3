import { assertVersion, Id, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { limitsOf, lockTenant, restrictTenant } from '../../storage/tenants.ts';
import { platformAdministrators } from './administrator.ts';
import { noteRestriction, quotaFields, requireTenant, TenantSchema } from './tenant.ts';

export const updateTenantQuotas = operation({
  name: 'updateTenantQuotas',
  summary: 'Limit the members, projects, API keys and requests per minute of an account or organization; what exists stays',
  kind: 'mutation',
  input: strict({
    id: Id,
    quotas: strict(
      {
        members: Type.Optional(quotaFields.members),
        projects: Type.Optional(quotaFields.projects),
        apiKeys: Type.Optional(quotaFields.apiKeys),
        requestsPerMinute: Type.Optional(quotaFields.requestsPerMinute),
      },
      { description: 'A limit that is left out stays; null is the configured one', graphqlType: 'TenantQuotasInput' },
    ),
  }),
  output: TenantSchema,
  access: platformAdministrators,
  scopes: 'none',
  verification: 'organization',
  freshness: { minutes: 10 },
  isolation: { unscoped: 'platform administrators stand above the tenants' },
  errors: ['FORBIDDEN', 'SECOND_FACTOR_REQUIRED', 'NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  audit: 'tenant.quotas-changed',
  events: ['tenant.restricted'],
  leaves: 'nothing',
  rest: { method: 'PATCH', path: '/api/platform/tenants/:id' },
  graphql: { field: 'updateTenantQuotas', type: 'PlatformTenant' },
  handle: async ({ id, quotas }, context) => {
    const before = await requireTenant(id, context);
    await assertVersion(context.request, () => lockTenant(context.tx, id));
    return noteRestriction(await restrictTenant(context.tx, id, limitsOf(quotas)), before, context);
  },
});
