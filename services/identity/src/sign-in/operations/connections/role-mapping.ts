/** Who edits a mapping gives its roles: each is asked about, when it is edited. */
import { failures } from '@tessera/kernel/errors';
import { callerOf, type OperationContext, scopeOf } from '@tessera/kernel/operation';
import type { Scope } from '@tessera/kernel/scope';
import type { RoleMapping } from '../../../ground/domain/connection.ts';
import { wireScope, wireSubject } from '../../../people/operations/scoped-people.ts';
import type { SignInDeps } from '../../deps.ts';
import { organizationOf } from './connection.ts';

type Context = OperationContext<SignInDeps>;

/** Refuses Owner, a role or grant that is not there, and what the caller may not give. */
export async function assertMayMap(mapping: readonly RoleMapping[], context: Context): Promise<void> {
  await assertEach(mapping, false, context);
}

/** The same of a kept mapping. A role or a grant of it may have ended, and gives nothing. */
export async function assertStillMaps(mapping: readonly RoleMapping[], context: Context): Promise<void> {
  await assertEach(mapping, true, context);
}

async function assertEach(mapping: readonly RoleMapping[], isKept: boolean, context: Context): Promise<void> {
  if (mapping.length === 0) return;
  const places = await placesOf(mapping, context);
  for (const grantId of new Set(mapping.map((one) => one.grantId))) {
    const scope = grantId === null ? scopeOf(context) : places.get(grantId);
    if (scope === undefined && isKept) continue;
    if (scope === undefined) throw failures.notFound('ProjectGrant');
    const roleIds = [...new Set(mapping.filter((one) => one.grantId === grantId).map(({ roleId }) => roleId))];
    await assertMayGiveIn(scope, roleIds, { isKept, context });
  }
}

type Asked = { readonly isKept: boolean; readonly context: Context };

async function assertMayGiveIn(scope: Scope, roleIds: string[], { isKept, context }: Asked): Promise<void> {
  const { roles } = context.deps;
  const actor = wireSubject(callerOf(context).subject);
  const [known, { verdicts }] = await Promise.all([
    roles.getRoles({ scope: wireScope(scope), roleIds }),
    roles.checkGrant({ actor, scope: wireScope(scope), roleIds, givenTo: 'user' }),
  ]);
  const present = verdicts.filter(({ verdict }) => verdict !== 'not-found');
  if (present.length < verdicts.length && !isKept) throw failures.notFound('Role');
  if (known.roles.some(({ isBuiltIn, rank }) => isBuiltIn && (rank === undefined || rank <= 1)))
    throw failures.validation('roleMapping', {
      en: 'must not give Owner: an identity provider makes nobody an Owner',
      de: 'darf nicht Eigentümer vergeben: Ein Identitätsanbieter macht niemanden zum Eigentümer',
    });
  if (present.some(({ verdict }) => verdict !== 'allowed')) throw failures.forbidden();
}

/** The scopes of the grants that the organization of the caller has. */
async function placesOf(mapping: readonly RoleMapping[], context: Context): Promise<ReadonlyMap<string, Scope>> {
  if (mapping.every(({ grantId }) => grantId === null)) return new Map();
  const organizationId = organizationOf(context);
  const { organizations } = await context.deps.tenancy.listOrganizations({ userId: callerOf(context).userId });
  const grants = organizations.find((one) => one.organizationId === organizationId)?.grants ?? [];
  return new Map(
    grants.map(({ grantId, projectId }) => [grantId, { tenant: 'organizationProject', id: `${organizationId}:${projectId}` }]),
  );
}
