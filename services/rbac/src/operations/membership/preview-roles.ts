import { type ParsedScope, parentScope, parseScope } from '@tessera/kernel/scope';
import { builtInRoleId } from '@tessera/proto/built-in-ids';
import type { RbacDeps } from '../../deps.ts';
import { isForMachines, isOwnerRole } from '../../domain/catalogue.ts';
import { listRolesOfUsers, listSourcesOf } from '../../storage/assignments.ts';
import { roleTable } from '../../storage/entity-tables.ts';
import { findEntities } from '../../storage/scoped-entity.ts';
import { changeBy, hasSeat } from './rules.ts';

type MappedPerson = { readonly userId: string; readonly roleIds: readonly string[] };
type Preview = { readonly userId: string; readonly gained: string[]; readonly lost: string[] };

/** What `mapRoles` would change, by its own rules. Who has mapped a role has been asked before. */
export async function previewRoles(
  { database }: Pick<RbacDeps, 'database'>,
  scope: ParsedScope,
  people: readonly MappedPerson[],
): Promise<Preview[]> {
  const userIds = people.map(({ userId }) => userId);
  const isOrganization = scope.tenant === 'organization';
  const parent = parentScope(scope);
  const above = parent && parseScope(parent);
  const viewerIds = isOrganization ? [builtInRoleId('organization', scope.id, 'Viewer')] : [];
  return database.scoped(
    scope,
    async (tx) => {
      const roleIds = [...new Set([...people.flatMap((person) => person.roleIds), ...viewerIds])];
      const [held, inherited, sources, known, isFull] = [
        await listRolesOfUsers(tx, [scope], userIds),
        above === undefined ? [] : await listRolesOfUsers(tx, [above], userIds),
        await listSourcesOf(tx, scope, userIds),
        await findEntities(tx, roleTable, scope, roleIds),
        scope.grant !== undefined && !(await hasSeat(tx, scope.grant)),
      ];
      const givable = new Map(known.filter((role) => !isForMachines(role) && !isOwnerRole(role)).map((role) => [role.id, role]));
      const rolesOf = (ids: readonly string[]) => ids.flatMap((id) => givable.get(id) ?? []);
      return people.map(({ userId, roleIds: mapped }) => {
        const before = held.filter(({ ownerId }) => ownerId === userId);
        const standing = isOrganization ? before : inherited.filter(({ ownerId }) => ownerId === userId);
        const stays = standing.length === 0 || standing.some(isOwnerRole) || (isFull && before.length === 0);
        if (stays) return { userId, gained: [], lost: [] };
        const said = rolesOf(mapped);
        const roles = isOrganization && said.length === 0 ? rolesOf(viewerIds) : said;
        const { added, removed } = changeBy(scope, { before, sources: sources.get(userId) ?? new Map(), roles });
        return { userId, gained: added.map(({ id }) => id), lost: removed.map(({ id }) => id) };
      });
    },
    { readOnly: true },
  );
}
