import { annotate, Id, NameOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { restrictTenant } from '../../storage/tenants.ts';
import { provisioners } from './administrator.ts';
import { noteRestriction, requireTenant, TenantSchema } from './tenant.ts';

export const suspendTenant = operation({
  name: 'suspendTenant',
  summary: 'Suspend an account or organization with its projects: its members, keys and apps are refused, its tokens end',
  kind: 'mutation',
  input: strict({
    id: Id,
    reason: Type.Optional(annotate(NameOf(500), { description: 'Shown to the tenant in its audit log' })),
  }),
  output: TenantSchema,
  access: provisioners,
  scopes: 'none',
  verification: 'organization',
  freshness: { minutes: 10 },
  isolation: { unscoped: 'platform administrators stand above the tenants' },
  errors: ['FORBIDDEN', 'SECOND_FACTOR_REQUIRED', 'NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  audit: 'tenant.suspended',
  events: ['tenant.restricted'],
  leaves: 'nothing',
  rest: { method: 'POST', path: '/api/platform/tenants/:id/suspend' },
  graphql: { field: 'suspendTenant', type: 'PlatformTenant' },
  handle: async ({ id, reason = null }, context) => {
    const before = await requireTenant(id, context);
    // The first suspension counts: a second one only gives another reason.
    const suspendedAt = before.suspendedAt ?? context.now.toISOString();
    return noteRestriction(await restrictTenant(context.tx, id, { suspendedAt, suspensionReason: reason }), before, context);
  },
});
