import { failures } from '@tessera/kernel/errors';
import { annotate, assertVersion, callerOf, type HandleContext, Id, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation, type TenancyDeps } from '../../deps.ts';
import type { Tenant } from '../../domain/tenant.ts';
import { limitsOf, lockTenant, restrictTenant } from '../../storage/tenants.ts';
import { provisioners } from './administrator.ts';
import { CanProvision, noteRestriction, QuotasInput, requireTenant, TenantSchema } from './tenant.ts';

export const updateTenantQuotas = operation({
  name: 'updateTenantQuotas',
  summary:
    'Limit the members, projects, API keys and requests per minute of an account or organization; what exists stays. Or let the service accounts of an organization make organizations',
  kind: 'mutation',
  input: strict({
    id: Id,
    quotas: Type.Optional(QuotasInput),
    canProvision: Type.Optional(annotate(CanProvision, { description: 'Of an organization; given by an administrator alone' })),
  }),
  output: TenantSchema,
  access: provisioners,
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
  handle: async ({ id, quotas = {}, canProvision }, context) => {
    const before = await requireTenant(id, context);
    await assertVersion(context.request, () => lockTenant(context.tx, id));
    if (canProvision !== undefined) assertMayLetProvision(before, context);
    const provisioning = canProvision === undefined ? {} : { canProvision };
    return noteRestriction(await restrictTenant(context.tx, id, { ...limitsOf(quotas), ...provisioning }), before, context);
  },
});

/** A Provisioner does not hand on what it may do itself. */
function assertMayLetProvision({ tenant }: Pick<Tenant, 'tenant'>, context: HandleContext<TenancyDeps>): void {
  if (callerOf(context).claims.service !== undefined) throw failures.forbidden();
  if (tenant === 'account')
    throw failures.validation('canProvision', { en: 'is for organizations only', de: 'gibt es nur für Organisationen' });
}
