/** Who edits a mapping gives its roles: each is asked about, when it is edited. */
import { failures } from '@tessera/kernel/errors';
import { callerOf, type OperationContext, scopeOf } from '@tessera/kernel/operation';
import type { Scope } from '@tessera/kernel/scope';
import { isSameMapping, type MappedRole, type Mapper, type RoleMapping } from '../../../ground/domain/connection.ts';
import { wireScope, wireSubject } from '../../../people/operations/scoped-people.ts';
import type { SignInDeps } from '../../deps.ts';
import type { Connection } from '../../storage/connections.ts';
import { organizationOf } from './connection.ts';

type Context = OperationContext<SignInDeps>;

type Given = Omit<MappedRole, 'grantId'> & { readonly grantId?: string | null };
type Known = Pick<Connection, 'roleMapping' | 'createdBy'>;

/**
 * The mapping as it is kept: the caller vouches for what is new, and for what its mapper could not
 * give any more.
 */
export async function prepareMapping(given: readonly Given[], known: Known, context: Context): Promise<RoleMapping[]> {
  const mapping = given.map(({ grantId = null, ...one }) => ({ ...one, grantId }));
  await assertMayMap(mapping, context);
  // A role that goes from the mapping is taken from people, or stays with those who have it.
  const gone = known.roleMapping.filter((one) => !mapping.some((other) => isSameMapping(one, other)));
  await assertStillMaps(gone, context);
  const { userId: mappedBy, type } = callerOf(context).subject;
  const caller = { mappedBy, isMappedByService: type === 'serviceAccount' };
  const kept = known.roleMapping.filter((one) => mapping.some((other) => isSameMapping(one, other)));
  const standing = await listStanding(kept, known, context);
  return mapping.map((one) => ({ ...one, ...(standing.get(keyOf(one)) ?? caller) }));
}

function keyOf({ claim, value, roleId, grantId }: MappedRole): string {
  return JSON.stringify([claim, value, roleId, grantId]);
}

/** Those whose mapper could give the role now. */
async function listStanding(kept: readonly RoleMapping[], { createdBy }: Known, context: Context): Promise<ReadonlyMap<string, Mapper>> {
  const standing = new Map<string, Mapper>();
  const places = await placesOf(kept, context);
  const { roles } = context.deps;
  for (const { mappedBy = createdBy, isMappedByService = false, ...one } of kept) {
    const scope = one.grantId === null ? scopeOf(context) : places.get(one.grantId);
    if (scope === undefined) continue;
    const own = { tenant: 'organization', id: organizationOf(context) };
    const by = { type: isMappedByService ? 'serviceAccount' : 'session', ...(isMappedByService ? { tokenScope: own } : {}) };
    const actor = { ...by, userId: mappedBy, tokenId: '', scopes: [] };
    const { verdicts } = await roles.checkGrant({ actor, scope: wireScope(scope), roleIds: [one.roleId], givenTo: 'user' });
    if (verdicts.every(({ verdict }) => verdict === 'allowed')) standing.set(keyOf(one), { mappedBy, isMappedByService });
  }
  return standing;
}

/** Refuses Owner, a role or grant that is not there, and what the caller may not give. */
async function assertMayMap(mapping: readonly MappedRole[], context: Context): Promise<void> {
  await assertEach(mapping, false, context);
}

/** The same of a kept mapping. A role or a grant of it may have ended, and gives nothing. */
export async function assertStillMaps(mapping: readonly MappedRole[], context: Context): Promise<void> {
  await assertEach(mapping, true, context);
}

async function assertEach(mapping: readonly MappedRole[], isKept: boolean, context: Context): Promise<void> {
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
      de: 'darf nicht die Rolle Owner vergeben: Ein Identitätsanbieter macht niemanden zum Eigentümer',
    });
  if (present.some(({ verdict }) => verdict !== 'allowed')) throw failures.forbidden();
}

/** The scopes of the grants that the organization of the caller has. */
export async function placesOf(mapping: readonly MappedRole[], context: Context): Promise<ReadonlyMap<string, Scope>> {
  if (mapping.every(({ grantId }) => grantId === null)) return new Map();
  const organizationId = organizationOf(context);
  const { organizations } = await context.deps.tenancy.listOrganizations({ userId: callerOf(context).userId });
  const grants = organizations.find((one) => one.organizationId === organizationId)?.grants ?? [];
  return new Map(
    grants.map(({ grantId, projectId }) => [grantId, { tenant: 'organizationProject', id: `${organizationId}:${projectId}` }]),
  );
}
