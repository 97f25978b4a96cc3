import type { Json } from '@tessera/rules/condition';
import { accountRoles, organizationRoles, rankOf } from '../domain/catalogue.ts';
import { type Decision, decide, invalidScope } from '../domain/decision.ts';
import { compileRights, type HeldPath, type HeldRole } from '../domain/rights.ts';
import type { Situation, World } from './world.ts';

/**
 * Situations answered by the domain alone: who holds what is read from the world, not from a
 * database.
 */
type Names = { readonly idOf: (name: string) => string };

/** '@ann' is ann's id, wherever it stands. */
export function withIds<Value extends Json>(value: Value, { idOf }: Names): Value {
  return JSON.parse(JSON.stringify(value), (_key, part: unknown) =>
    typeof part === 'string' && part.startsWith('@') ? idOf(part.slice(1)) : part,
  ) as Value;
}

function parentOf(world: World, where: string): string | undefined {
  return world.projects[where]?.in;
}

function isThere(world: World, where: string): boolean {
  const parent = parentOf(world, where);
  if (parent !== undefined) return world.projects[where]?.deleted !== true && isThere(world, parent);
  return (
    Object.hasOwn(world.accounts, where) || (Object.hasOwn(world.organizations, where) && world.organizations[where]?.deleted !== true)
  );
}

function builtIn(id: string, name: string, rank: number | null): HeldRole {
  return {
    id,
    name,
    description: null,
    metadata: {},
    isBuiltIn: true,
    rank,
  };
}

function custom(world: World, name: string): HeldRole {
  return {
    id: name,
    name,
    description: null,
    isBuiltIn: false,
    rank: null,
    metadata: world.roles[name]?.metadata ?? {},
  };
}

/**
 * Built-in roles and those of one's own that a place has, by the name that situations use:
 * 'acme/Viewer', or 'Reader'.
 */
function rolesOf(world: World, place: string): Map<string, HeldRole> {
  const own = Object.entries(world.roles).filter(([, role]) => role.in === place && role.deleted !== true);
  const roles = new Map(own.map(([name]) => [name, custom(world, name)]));
  const account = world.accounts[place];
  if (account) roles.set(`${place}/${accountRoles[account.type]}`, builtIn(`${place}/owner`, accountRoles[account.type], null));
  if (world.organizations[place])
    for (const role of organizationRoles) roles.set(`${place}/${role}`, builtIn(`${place}/${role}`, role, rankOf(role)));
  return roles;
}

function isHeld(world: World, place: string, name: string, who: string): boolean {
  if (world.roles[name]?.heldBy?.includes(who)) return true;
  if (world.accounts[place]?.owner === who) return true;
  const organization = world.organizations[place];
  const role = organization?.owner === who ? 'Owner' : organization?.members?.[who];
  return role !== undefined && (name === role || name === `${place}/${role}`);
}

function pathsOf(world: World, role: HeldRole): HeldPath[] {
  const { in: place, has = [] } = world.roles[role.id] ?? { in: '' };
  return has.flatMap((groupName) => {
    const group = world.groups[groupName];
    if (group === undefined || group.deleted || group.in !== place) return [];
    return group.has.flatMap((name): HeldPath[] => {
      const permission = world.permissions[name];
      const [resource = '', action = ''] = permission?.allows.split(':') ?? [];
      const own = world.resources[`${place}/${resource}`];
      const isActive = own === undefined || Array.isArray(own) || ('isActive' in own && own.isActive);
      if (permission === undefined || permission.deleted || !isActive) return [];
      return [
        {
          role,
          group: { id: groupName, name: groupName, description: null, metadata: group.metadata ?? {} },
          permission: { id: name, name, resource, action, condition: permission.when ?? null },
        },
      ];
    });
  });
}

export function answerFromModel(world: World, situation: Situation, names: Names): Decision {
  const { who, where, with: token, may, given = {} } = situation;
  const place = token?.of ?? where;
  if (place === undefined || (token && where !== undefined && where !== token.of) || !isThere(world, place)) return invalidScope;
  const parent = parentOf(world, place);
  const places = parent === undefined ? [place] : [parent, place];
  const roles = places.flatMap((here) =>
    [...rolesOf(world, here)]
      .filter(([name]) => (token?.role === undefined ? isHeld(world, here, name, who) : name === token.role))
      .map(([, role]) => role),
  );
  const [resource = '', action = ''] = may.split(':');
  return decide(
    compileRights(
      roles,
      roles.flatMap((role) => pathsOf(world, role)),
    ),
    {
      resource,
      action,
      userId: names.idOf(who),
      target: withIds(given, names),
      userMetadata: withIds(world.metadata?.[who] ?? {}, names),
      memberMetadata: {},
      nowMs: Date.now(),
      cap: token?.token === 'projectApp' ? (token.scopes ?? []) : undefined,
    },
  );
}
