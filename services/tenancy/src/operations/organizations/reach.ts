import { failures } from '@tessera/kernel/errors';
import { callerOf, freshnessOf, type HandleContext, scopeOf } from '@tessera/kernel/operation';
import type { TenancyDeps } from '../../deps.ts';
import type { Organization } from '../../domain/organization.ts';
import { enterOrganization, findOrganization } from '../../storage/organizations.ts';
import type { Context } from '../related.ts';

/** An organization may be addressed in its own scope, or in the scope of a member's account. */
export const organizationReach = ['account', 'organization'] as const;

/**
 * In an account's scope the pipeline has only asked about the account: what the caller may do with this organization is their
 * role in it. 404 for one that the account's owner is no member of, 403 for a role that does not reach.
 */
export async function requireInOrganization(id: string, action: 'Read' | 'Update' | 'Delete', context: Context): Promise<undefined> {
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
  if (decision?.authorized !== true) throw failures.forbidden();
}

/** The organization, seen through the scope's own pivot rows. */
export async function showOrganization(id: string, context: HandleContext<TenancyDeps>): Promise<Organization> {
  const { tenant } = scopeOf(context);
  const organization = await findOrganization(context.tx, tenant === 'account' ? 'account' : 'organization', id);
  if (!organization) throw failures.notFound('Organization');
  return organization;
}

/** The same for a change: from here on the transaction is in the organization's settings too. */
export async function openOrganization(id: string, context: HandleContext<TenancyDeps>): Promise<void> {
  await showOrganization(id, context);
  if (scopeOf(context).tenant === 'account') await enterOrganization(context.tx, id);
}
