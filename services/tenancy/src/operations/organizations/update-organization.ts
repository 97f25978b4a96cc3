import { failures } from '@tessera/kernel/errors';
import { assertVersion, callerOf, Id, Metadata, Name, scopeField, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import type { Security } from '../../domain/organization.ts';
import { organizationSecured } from '../../events.ts';
import { lockOrganizationForUpdate, updateOrganization as update } from '../../storage/organizations.ts';
import { enterOrganizationScope, organizationScopes, requireOrganizationRight } from './access.ts';
import { OrganizationSchema, securityFields } from './organization.ts';

type SecurityChange = Partial<Security>;

/** A field that the request leaves out keeps its value. */
function withChange(before: Security, { requireSecondFactor, maxSessionAgeMinutes, allowEmailCode }: SecurityChange): Security {
  return {
    requireSecondFactor: requireSecondFactor ?? before.requireSecondFactor,
    maxSessionAgeMinutes: maxSessionAgeMinutes === undefined ? before.maxSessionAgeMinutes : maxSessionAgeMinutes,
    allowEmailCode: allowEmailCode ?? before.allowEmailCode,
  };
}

export const updateOrganization = operation({
  name: 'updateOrganization',
  summary: 'Rename an organization, replace its metadata or set what it demands of sessions',
  kind: 'mutation',
  input: strict({
    ...scopeField,
    id: Id,
    name: Type.Optional(Name),
    metadata: Type.Optional(Metadata),
    security: Type.Optional(
      strict(
        {
          requireSecondFactor: Type.Optional(securityFields.requireSecondFactor),
          maxSessionAgeMinutes: Type.Optional(securityFields.maxSessionAgeMinutes),
          allowEmailCode: Type.Optional(securityFields.allowEmailCode),
        },
        { graphqlType: 'OrganizationSecurityInput' },
      ),
    ),
  }),
  output: OrganizationSchema,
  access: { permission: 'Organization:Update' },
  scopes: organizationScopes,
  verification: 'organization',
  errors: ['NOT_FOUND', 'SECOND_FACTOR_REQUIRED'],
  audit: 'organization.updated',
  events: ['organization.secured'],
  leaves: 'nothing',
  rest: { method: 'PATCH', path: '/api/organizations/:id' },
  graphql: { field: 'updateOrganization', type: 'Organization' },
  async prepare({ id, security }, context) {
    await requireOrganizationRight(id, 'Update', context);
    const { claims } = callerOf(context);
    // Otherwise the owner would be shut out by the next request.
    if (security?.requireSecondFactor === true && claims.type === 'session' && claims.acr !== 'aal2') throw failures.secondFactorRequired();
    return undefined;
  },
  handle: async ({ id, name, metadata, security: change }, context) => {
    const before = await enterOrganizationScope(id, context);
    await assertVersion(context.request, () => lockOrganizationForUpdate(context.tx, id));
    const security = change === undefined ? undefined : withChange(before.security, change);
    const organization = await update(context.tx, id, { name, metadata, security });
    if (!organization) throw failures.notFound('Organization');
    if (security !== undefined) context.emit(organizationSecured(id, security));
    context.audit({ targetType: 'Organization', targetId: id, before, detail: { name: organization.name } });
    return organization;
  },
});
