/** An exported tenant made again elsewhere. What is there by its name is not made twice. */
import { type TesseraClient, TesseraError } from '@tessera/client';
import type { Scope } from '../context.ts';
import { exitCodes, Failure } from '../failure.ts';
import { type KindName, kinds, type ProjectScope } from '../manifest/kinds.ts';
import { planSteps, readState, referenceOf, type State, type Step, takeStep } from '../manifest/plan.ts';
import type { Manifest } from '../manifest/schema.ts';
import { type Patience, patiently } from '../patience.ts';
import type { AccountScope, OrganizationScope } from './lists.ts';
import { byPage, oldestFirst, type Thing } from './pages.ts';
import type { Exported, Person, Project } from './read.ts';

type Place = OrganizationScope | AccountScope;
/** An organization has tags, permissions, groups and roles, planned as those of a project. */
type ModelScope = ProjectScope | OrganizationScope;

export type Secret = { readonly project: string; readonly app: string; readonly clientId: string; readonly clientSecret?: string };
export type Change = {
  /** What the plan says: `+` is made, `~` is changed. */
  readonly lines: readonly string[];
  /** Repeating it changes nothing more. */
  take(made: Made): Promise<void>;
};
export type Made = { place: Place | undefined; readonly secrets: Secret[] };
export type Plan = { readonly changes: readonly Change[]; readonly place: Place | undefined };

type Options = {
  readonly client: TesseraClient;
  readonly scope: Scope;
  readonly exported: Exported;
  readonly hasPeople: boolean;
  readonly patience: Patience;
};

/** Reads what is there. The plan changes nothing by itself. */
export async function planImport({ client, scope, exported, hasPeople, patience }: Options): Promise<Plan> {
  const place = await findPlace(client, scope, exported, patience);
  const known = place === undefined ? [] : await readAll((page) => client.listProjects({ scope: place, page, ...oldestFirst }), patience);
  const changes: Change[] = [];
  if (place === undefined && exported.settings !== undefined && scope.tenant === 'account') {
    const { name, metadata } = exported.settings;
    changes.push({
      lines: [`+ organization ${name}`],
      take: async (made) => {
        const { id } = await client.createOrganization({ scope: { tenant: 'account', id: scope.id }, name, metadata: { ...metadata } });
        made.place = { tenant: 'organization', id };
      },
    });
  }
  if (exported.tenant === 'organization') changes.push(...(await modelChanges(client, place, exported.model)));
  for (const project of exported.projects) changes.push(...(await projectChanges(client, place, project, known)));
  if (exported.tenant === 'organization') {
    if (hasPeople) changes.push(...(await peopleChanges(client, place, exported.people, patience)));
    changes.push(...(await settingsChanges(client, place, exported)));
  }
  return { changes, place };
}

async function readAll(load: Parameters<typeof byPage>[0], patience: Patience): Promise<Thing[]> {
  const things: Thing[] = [];
  for await (const thing of byPage(load, patience)) things.push(thing);
  return things;
}

/** The organization that the scope names, or the one of that name in the account. */
async function findPlace(client: TesseraClient, { tenant, id }: Scope, exported: Exported, patience: Patience): Promise<Place | undefined> {
  if (tenant !== 'account' && tenant !== 'organization')
    throw new Failure('Where to? --scope account:<id> makes the organization there, --scope organization:<id> fills one.', exitCodes.usage);
  if (exported.settings === undefined) {
    if (tenant === 'account') return { tenant, id };
    throw new Failure('This is the export of an account: give --scope account:<id>.', exitCodes.usage);
  }
  if (tenant === 'organization') return { tenant, id };
  const { name } = exported.settings;
  const scope = { tenant, id };
  const same = (await readAll((page) => client.listOrganizations({ scope, page, ...oldestFirst }), patience)).filter(
    (one) => one['name'] === name,
  );
  if (same.length > 1)
    throw new Failure(`There are ${same.length} organizations named ${name}: say which by --scope organization:<id>.`, exitCodes.usage);
  return same[0] === undefined ? undefined : { tenant: 'organization', id: String(same[0]['id']) };
}

function requirePlace({ place }: Pick<Made, 'place'>): Place {
  if (place === undefined) throw new Failure('The organization is not there.');
  return place;
}

const ofOrganizations = kinds.filter(({ name }) => name !== 'apps');

function changesOf(steps: readonly Step[], prefix: string, take: Change['take']): Change[] {
  const lines = steps.map(({ action, kind, name }) => `${action === 'create' ? '+' : '~'} ${prefix}${kind.name} ${name}`);
  return lines.length === 0 ? [] : [{ lines, take }];
}

async function modelChanges(client: TesseraClient, place: Place | undefined, model: Manifest): Promise<Change[]> {
  const count = kinds.reduce((sum, { name }) => sum + (model[name]?.length ?? 0), 0);
  if (count === 0) return [];
  if (place === undefined) {
    const take = (made: Made) => applyModel(client, requirePlace(made) as OrganizationScope, model);
    return [{ lines: [`+ ${countsOf(model)}`], take }];
  }
  const scope = place as OrganizationScope;
  const { steps } = planSteps(model, await stateOf(client, scope), false);
  return changesOf(steps, '', () => applyModel(client, scope, model));
}

function stateOf(client: TesseraClient, scope: ModelScope): Promise<State> {
  // The lists take both scopes; only apps are of projects alone.
  return readState(client, scope as ProjectScope, scope.tenant === 'organization' ? ofOrganizations : kinds);
}

/** Plans once more, because steps before have made what this refers to. */
async function applyModel(
  client: TesseraClient,
  scope: ModelScope,
  model: Manifest,
  onApp: (app: Thing & { readonly name: string }) => void = () => undefined,
): Promise<void> {
  const state = await stateOf(client, scope);
  const made = new Map<string, string>();
  const idOf = (kind: KindName, name: string) =>
    made.get(`${kind} ${name}`) ?? state[kind].get(name)?.reference ?? state[kind].get(name)?.id ?? name;
  for (const step of planSteps(model, state, false).steps) {
    const answer = await takeStep(client, scope as ProjectScope, step, idOf);
    if (step.action !== 'create') continue;
    made.set(`${step.kind.name} ${step.name}`, referenceOf(step.kind, answer));
    if (step.kind.name === 'apps') onApp({ ...answer, name: step.name });
  }
}

function countsOf(model: Manifest): string {
  return kinds.flatMap(({ name }) => (model[name] === undefined ? [] : [`${model[name].length} ${name}`])).join(', ');
}

async function projectChanges(
  client: TesseraClient,
  place: Place | undefined,
  project: Project,
  known: readonly Thing[],
): Promise<Change[]> {
  const { name, description, metadata, manifest } = project;
  const same = known.filter((one) => one['name'] === name);
  if (same.length > 1) throw new Failure(`There are ${same.length} projects named ${name}. Rename all but one.`);
  const [found] = same;
  const scopeIn = (parent: Place, id: string): ProjectScope => ({ tenant: `${parent.tenant}Project`, id: `${parent.id}:${id}` });
  const apply = async (scope: ProjectScope, made: Made) =>
    applyModel(client, scope, manifest, ({ name: app, clientId, clientSecret }) => {
      const secret = typeof clientSecret === 'string' ? { clientSecret } : {};
      made.secrets.push({ project: name, app, clientId: String(clientId), ...secret });
    });
  if (place === undefined || found === undefined) {
    const counts = countsOf(manifest);
    const make = async (made: Made) => {
      const parent = requirePlace(made);
      const { id } = await client.createProject({ scope: parent, name, description, metadata: { ...metadata } });
      await apply(scopeIn(parent, id), made);
    };
    return [{ lines: [`+ project ${name}${counts === '' ? '' : ` with ${counts}`}`], take: make }];
  }
  const scope = scopeIn(place, String(found['id']));
  const { steps } = planSteps(manifest, await stateOf(client, scope), false);
  return changesOf(steps, `${name}: `, (made) => apply(scope, made));
}

/** Who is a member or invited is left as they are, with whatever role they have here. */
async function peopleChanges(
  client: TesseraClient,
  place: Place | undefined,
  people: readonly Person[],
  patience: Patience,
): Promise<Change[]> {
  const present = new Set<string>();
  if (place !== undefined) {
    const scope = place as OrganizationScope;
    // Members and open invitations in one list.
    for (const { email } of await readAll((page) => client.listOrganizationMembers({ scope, page, ...oldestFirst }), patience))
      present.add(String(email).toLowerCase());
  }
  const me = await client.getMe({});
  present.add(String(me.email).toLowerCase());
  let roles: Promise<Map<string, string>> | undefined;
  const rolesOf = async (scope: OrganizationScope) => {
    const listed = await readAll((page) => client.listRoles({ scope, page, ...oldestFirst }), patience);
    return new Map(listed.map((role) => [String(role['name']), String(role['id'])]));
  };
  return people
    .filter(({ email }) => !present.has(email))
    .map(({ email, role }) => ({
      lines: [`+ invitation of ${email} as ${role}, by mail`],
      take: async (made) => {
        const scope = requirePlace(made) as OrganizationScope;
        roles ??= rolesOf(scope);
        const roleId = (await roles).get(role);
        if (roleId === undefined) throw new Failure(`The role ${role} of ${email} is not there.`);
        await patiently(() => client.inviteMember({ scope, email, roleId }), patience).catch(ignoreKnown);
      },
    }));
}

/** Invited or a member since the plan was made. */
function ignoreKnown(error: unknown): void {
  if (!(error instanceof TesseraError) || error.code !== 'CONFLICT') throw error;
}

/** Last, because they may demand more of the session that imports. */
async function settingsChanges(client: TesseraClient, place: Place | undefined, { settings }: Exported): Promise<Change[]> {
  if (settings === undefined) return [];
  const scope = place as OrganizationScope | undefined;
  const before = scope === undefined ? undefined : await client.getOrganization({ id: scope.id, scope });
  const unsecured = { requireSecondFactor: false, maxSessionAgeMinutes: null, allowEmailCode: true };
  const wanted = { ...unsecured, ...settings.security };
  const present = before?.security ?? unsecured;
  const { requireSecondFactor, maxSessionAgeMinutes, allowEmailCode } = wanted;
  const isSame = requireSecondFactor === present.requireSecondFactor && maxSessionAgeMinutes === present.maxSessionAgeMinutes;
  if (isSame && allowEmailCode === present.allowEmailCode) return [];
  const security = { requireSecondFactor, maxSessionAgeMinutes, allowEmailCode };
  return [
    {
      lines: [`~ security of the organization: ${JSON.stringify(security)}`],
      take: async (made) => {
        const target = requirePlace(made) as OrganizationScope;
        await client.updateOrganization({ id: target.id, scope: target, security });
      },
    },
  ];
}
