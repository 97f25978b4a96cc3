import { Id, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { restrictTenant } from '../../storage/tenants.ts';
import { resumeWebhooksOf } from '../../storage/webhook-deliveries.ts';
import { provisioners } from './administrator.ts';
import { noteRestriction, requireTenant, TenantSchema } from './tenant.ts';

export const resumeTenant = operation({
  name: 'resumeTenant',
  summary: 'End the suspension of an account or organization',
  kind: 'mutation',
  input: strict({ id: Id }),
  output: TenantSchema,
  access: provisioners,
  scopes: 'none',
  verification: 'organization',
  freshness: { minutes: 10 },
  isolation: { unscoped: 'platform administrators stand above the tenants' },
  errors: ['FORBIDDEN', 'SECOND_FACTOR_REQUIRED', 'NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  audit: 'tenant.resumed',
  events: ['tenant.restricted'],
  leaves: 'nothing',
  rest: { method: 'POST', path: '/api/platform/tenants/:id/resume' },
  graphql: { field: 'resumeTenant', type: 'PlatformTenant' },
  handle: async ({ id }, context) => {
    const before = await requireTenant(id, context);
    if (before.suspendedAt !== null) await resumeWebhooksOf(context.tx, id, before.suspendedAt);
    return noteRestriction(await restrictTenant(context.tx, id, { suspendedAt: null, suspensionReason: null }), before, context);
  },
});
