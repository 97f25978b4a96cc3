import { failures } from '@tessera/kernel/errors';
import { callerOf, freshnessOf, type HandleContext, scopeOf } from '@tessera/kernel/operation';
import type { TenancyDeps } from '../../deps.ts';
import type { Organization } from '../../domain/organization.ts';
import { findOrganization, setOrganizationScope } from '../../storage/organizations.ts';
import type { Context } from '../related.ts';

/**
 * A request names an organization in the organization's own scope, or in the scope of a member's
 * account.
 */
export const organizationScopes = ['account', 'organization'] as const;

/**
 * In an account's scope the pipeline authorizes only the account, so the caller's role in the
 * organization is checked here. 404 if the account's owner is not a member, 403 if the role lacks
 * the permission.
 */
export async function requireOrganizationRight(id: string, action: 'Read' | 'Update' | 'Delete', context: Context): Promise<undefined> {
  const scope = scopeOf(context);
  if (scope.tenant === 'organization') {
    if (scope.organizationId !== id) throw failures.notFound('Organization');
    return;
  }
  const { database, authorizer } = context.deps;
  if (!(await database.scoped(scope, (tx) => findOrganization(tx, 'account', id), { readOnly: true })))
    throw failures.notFound('Organization');
  const check = { subject: callerOf(context).subject, scope: { tenant: 'organization', id } as const, resource: 'Organization', action };
  const [decision] = await authorizer.check([check], freshnessOf(context));
  if (decision?.authorized !== true) throw failures.demanded(decision) ?? failures.forbidden();
}

/** The organization, if the scope's own pivot rows include it. */
export async function readOrganization(id: string, context: HandleContext<TenancyDeps>): Promise<Organization> {
  const { tenant } = scopeOf(context);
  const organization = await findOrganization(context.tx, tenant === 'account' ? 'account' : 'organization', id);
  if (!organization) throw failures.notFound('Organization');
  return organization;
}

/** The same before a change: also sets the organization as the transaction's tenant. */
export async function enterOrganizationScope(id: string, context: HandleContext<TenancyDeps>): Promise<Organization> {
  const organization = await readOrganization(id, context);
  if (scopeOf(context).tenant === 'account') await setOrganizationScope(context.tx, id);
  return organization;
}
