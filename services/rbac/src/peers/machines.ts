import type { GrpcClient } from '@tessera/kernel/grpc';
import { isId } from '@tessera/kernel/ids';
import { joinTokenScope, type Scope } from '@tessera/kernel/scope';
import type { ActingParty } from '../domain/delegation.ts';
import type { Subject } from '../domain/subject.ts';

/** An API key, a machine app or a service account, and the subject of the tokens that it gets. */
export type Machine = { readonly id: string; readonly name: string; readonly subject: Subject };
export type MachinePage = { readonly machines: readonly Machine[]; readonly nextAfter: string | undefined };

/** The API keys or the machine apps of a project. */
export type MachineList = {
  /** Undefined for one that gets no token in this scope. */
  find(scope: Scope, id: string): Promise<Machine | undefined>;
  /** By id; pages of API keys have some that get no token any more: see `live`. */
  page(scope: Scope, after: string): Promise<MachinePage>;
  /** Names, also of those that get no token. */
  named(scope: Scope, ids: readonly string[]): Promise<readonly Machine[]>;
  /** Those that would get a token now. */
  live(machines: readonly Machine[]): Promise<readonly Machine[]>;
};
export type Machines = Readonly<Record<'apiKey' | 'app' | 'serviceAccount', MachineList>> & {
  /** An app of any type that acts for a person, in its project or where it is used. */
  readonly findActing: (scope: Scope, appId: string, personId: string) => Promise<ActingParty | undefined>;
  /** Of these people those whose consent lets such an app do this, or who were never asked. */
  readonly consenting: (app: ConsentingApp, personIds: readonly string[]) => Promise<readonly string[]>;
};

export type ConsentingApp = { readonly scope: Scope; readonly appId: string; readonly permission: string };

type Keys = Pick<GrpcClient<'keys.v1.Keys'>, 'listKeySubjects' | 'findLiveApiKeys'>;
type Identity = Pick<GrpcClient<'identity.v1.Identity'>, 'listMachineApps' | 'findActingApp' | 'filterConsenting'>;

const keysAtOnce = 200;
const appsAtOnce = 50;

function isProject({ tenant }: Scope): boolean {
  return tenant === 'accountProject' || tenant === 'organizationProject';
}

async function inPortions(
  ids: readonly string[],
  size: number,
  list: (some: readonly string[]) => Promise<readonly Machine[]>,
): Promise<readonly Machine[]> {
  const found: Machine[] = [];
  for (let start = 0; start < ids.length; start += size) found.push(...(await list(ids.slice(start, start + size))));
  return found;
}

function machineOf(scope: Scope, { id, name, userId, roleId }: { id: string; name: string; userId: string; roleId?: string | undefined }) {
  return { id, name, subject: { type: 'apiKey', userId, roleId, tokenScope: joinTokenScope(scope, userId) } } as const;
}

function apiKeys(keys: Keys): MachineList {
  const list = async (scope: Scope, ids: readonly string[], after: string): Promise<Machine[]> => {
    if (!isProject(scope)) return [];
    const { subjects } = await keys.listKeySubjects({ tenant: scope.tenant, id: scope.id, ids: [...ids], after, limit: keysAtOnce });
    return subjects.map((subject) => machineOf(scope, subject));
  };
  const live: MachineList['live'] = async (machines) => {
    if (machines.length === 0) return [];
    const { ids } = await keys.findLiveApiKeys({ ids: machines.map(({ id }) => id) });
    return machines.filter(({ id }) => ids.includes(id));
  };
  return {
    live,
    named: (scope, ids) => inPortions(ids, keysAtOnce, (some) => list(scope, some, '')),
    find: async (scope, id) => (isId(id) ? (await live(await list(scope, [id], '')))[0] : undefined),
    page: async (scope, after) => {
      const machines = await list(scope, [], after);
      return { machines, nextAfter: machines.length < keysAtOnce ? undefined : machines.at(-1)?.id };
    },
  };
}

/** identity lists only apps that would get a token. */
function machineApps(identity: Identity): MachineList {
  const list = async (scope: Scope, ids: readonly string[], after: string): Promise<MachinePage> => {
    if (!isProject(scope)) return { machines: [], nextAfter: undefined };
    const asked = { tenant: scope.tenant, id: scope.id, ids: [...ids], after, limit: appsAtOnce };
    const { apps, lastId } = await identity.listMachineApps(asked);
    // The app's id stands in the user's place of its tokens.
    return { machines: apps.map((app) => machineOf(scope, { ...app, userId: app.id })), nextAfter: lastId || undefined };
  };
  return {
    live: async (machines) => machines,
    named: (scope, ids) => inPortions(ids, appsAtOnce, async (some) => (await list(scope, some, '')).machines),
    find: async (scope, id) => (isId(id) ? (await list(scope, [id], '')).machines[0] : undefined),
    page: (scope, after) => list(scope, [], after),
  };
}

/** Undefined for an unknown app, which may do nothing. */
function findActingIn(identity: Identity): Machines['findActing'] {
  return async ({ tenant, id }, appId, personId) => {
    if (!isProject({ tenant, id }) || !isId(appId)) return undefined;
    const { app } = await identity.findActingApp({ tenant, id, appId, userId: personId });
    if (app === undefined) return undefined;
    const { clientId, roleId, projectScopeId, isCapped, scopes } = app;
    const role = roleId === undefined ? {} : { roleId, place: { tenant, id: projectScopeId } };
    return { type: 'app', id: appId, clientId, ...role, ...(isCapped ? { cap: scopes } : {}) };
  };
}

function consentingIn(identity: Identity): Machines['consenting'] {
  return async ({ scope: { tenant, id }, appId, permission }, personIds) => {
    if (personIds.length === 0) return [];
    return (await identity.filterConsenting({ tenant, id, appId, scope: permission, userIds: [...personIds] })).userIds;
  };
}

export function createMachines(keys: Keys, identity: Identity, serviceAccount: MachineList): Machines {
  const [findActing, consenting] = [findActingIn(identity), consentingIn(identity)];
  return { apiKey: apiKeys(keys), app: machineApps(identity), serviceAccount, findActing, consenting };
}
