import { failures } from '@tessera/kernel/errors';
import { entityFields, type HandleContext, Nullable, strict, Timestamp } from '@tessera/kernel/operation';
import Type from 'typebox';
import type { TenancyDeps } from '../../deps.ts';
import type { Tenant } from '../../domain/tenant.ts';
import { tenantRestricted } from '../../events.ts';
import { lockTenant } from '../../storage/tenants.ts';

export const Limit = Nullable(Type.Integer({ minimum: 0, maximum: 1_000_000_000, description: 'null: as configured; 0: no limit' }));
const RequestLimit = Nullable(Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: 'null: any number' }));
export const quotaFields = { members: Limit, projects: Limit, apiKeys: Limit, requestsPerMinute: RequestLimit };
export const QuotasInput = strict(
  {
    members: Type.Optional(quotaFields.members),
    projects: Type.Optional(quotaFields.projects),
    apiKeys: Type.Optional(quotaFields.apiKeys),
    requestsPerMinute: Type.Optional(quotaFields.requestsPerMinute),
  },
  { description: 'A limit that is left out stays; null is the configured one', graphqlType: 'TenantQuotasInput' },
);
export const CanProvision = Type.Boolean({ description: 'The service accounts of the organization may make organizations' });
export const tenantKinds = ['account', 'organization'] as const;

export const TenantSchema = strict(
  {
    ...entityFields,
    tenant: Type.Enum([...tenantKinds]),
    name: Type.String({ description: 'Of an account the owner’s' }),
    slug: Nullable(Type.String()),
    email: Nullable(Type.String({ description: 'Of an account the owner’s address' })),
    ownerId: Nullable(Type.String({ description: 'Of an account' })),
    memberCount: Type.Integer(),
    openInvitationCount: Type.Integer({ description: 'Each holds the place of a member' }),
    projectCount: Type.Integer(),
    suspendedAt: Nullable(Timestamp),
    suspensionReason: Nullable(Type.String()),
    quotas: strict(quotaFields),
    canProvision: CanProvision,
  },
  { description: 'An account or organization as a platform administrator sees it' },
);

/** The tenant, locked until the commit. 404 when there is none, or it was deleted. */
export async function requireTenant(id: string, { tx }: HandleContext<TenancyDeps>): Promise<Tenant> {
  const tenant = await lockTenant(tx, id);
  if (tenant === undefined) throw failures.notFound('Tenant');
  return tenant;
}

/** In the tenant's own log: its owners see what the operator did. The other services hear of it. */
export function noteRestriction(after: Tenant | undefined, before: Tenant, context: HandleContext<TenancyDeps>): Tenant {
  if (after === undefined) throw failures.notFound('Tenant');
  const { id, tenant } = after;
  const { suspendedAt, suspensionReason, quotas, canProvision } = before;
  context.audit({
    scope: { tenant, id },
    targetType: tenant === 'account' ? 'Account' : 'Organization',
    targetId: id,
    before: { suspendedAt, suspensionReason, quotas, canProvision },
    after: {
      suspendedAt: after.suspendedAt,
      suspensionReason: after.suspensionReason,
      quotas: after.quotas,
      canProvision: after.canProvision,
    },
  });
  context.emit(tenantRestricted(after));
  return after;
}
