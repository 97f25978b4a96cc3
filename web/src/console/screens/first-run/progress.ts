import { tessera } from '../../../session/tessera.ts';
import { type StepName, stepNames, type Values } from './steps.ts';

export type Progress = {
  readonly values: Values;
  /** What is there already, by its step: the name of the newest. */
  readonly found: Readonly<Partial<Record<StepName, string>>>;
};

const newest = { limit: 1, sortField: 'createdAt', sortOrder: 'desc' } as const;
const fewOrganizations = 10;

/** Where the person is on the path: read from what exists, so that it goes on in any browser. */
export async function loadProgress(): Promise<Progress> {
  const me = await tessera.getMe();
  const account = me.accounts.find(({ type }) => type === 'organization');
  const values: Values = {
    email: me.email ?? '',
    myId: me.user.id,
    needsAccount: account === undefined,
    ...(account === undefined ? {} : { accountId: account.id }),
  };
  const organization = account && (await ownOrganization(account.id));
  if (organization === undefined) return { values, found: {} };
  const inOrganization = { ...values, organizationId: organization.id };
  const { items } = await tessera.listProjects({ scope: { tenant: 'organization', id: organization.id }, ...newest });
  const [project] = items;
  if (project === undefined) return { values: inOrganization, found: { organization: organization.name } };
  const there = await inProject({ ...inOrganization, projectId: project.id }, me.user.id);
  return { values: there.values, found: { organization: organization.name, project: project.name, ...there.found } };
}

/** The newest organization in which the caller may make projects. */
async function ownOrganization(accountId: string) {
  const { items } = await tessera.listOrganizations({ scope: { tenant: 'account', id: accountId }, ...newest, limit: fewOrganizations });
  if (items.length === 0) return undefined;
  const permission = { resource: 'Project', action: 'Create' };
  const { decisions } = await tessera.isAuthorizedMany({
    checks: items.map(({ id }) => ({ permission, scope: { tenant: 'organization', id } as const })),
  });
  return items.find((_, index) => decisions[index]?.authorized);
}

async function inProject(values: Values, myId: string): Promise<Progress> {
  const scope = { tenant: 'organizationProject', id: `${values.organizationId}:${values.projectId}` } as const;
  const [resources, permissions, roles, people, me, keys, apps] = await Promise.all([
    tessera.listResources({ scope, limit: 100, sortField: 'createdAt', sortOrder: 'desc' }),
    tessera.listScopePermissions({ scope, limit: 100 }),
    tessera.listRoles({ scope, limit: 100, sortField: 'createdAt', sortOrder: 'desc' }),
    tessera.listUsers({ scope, ...newest, limit: 2 }),
    tessera.listUsers({ scope, ids: [myId], relations: ['roles'] }),
    tessera.listApiKeys({ scope, ...newest }),
    tessera.listProjectApps({ scope, ...newest }),
  ]);
  const resource = resources.items.find(({ isBuiltIn }) => !isBuiltIn);
  const role = roles.items.find(({ isBuiltIn }) => !isBuiltIn);
  const person = people.items.find(({ id }) => id !== myId);
  const [key] = keys.items;
  const [app] = apps.items;
  const made = permissions.items.filter(({ resourceId }) => resourceId === resource?.id).map(({ id }) => id);
  const names = { resource: resource?.name, role: role?.name, person: person?.name, key: key?.name, app: app?.name };
  return {
    values: {
      ...values,
      myRoleIds: (me.items[0]?.roles ?? []).map(({ id }) => id),
      ...(resource === undefined ? {} : { resource: resource.slug, action: resource.actions[0] ?? 'read', permissionIds: made }),
      ...(role === undefined ? {} : { roleId: role.id }),
      ...(key === undefined ? {} : { clientId: key.clientId }),
    },
    found: Object.fromEntries(Object.entries(names).flatMap(([step, name]) => (name == null ? [] : [[step, name]]))),
  };
}

export function firstOpen({ found }: Progress, isDecided: boolean): StepName | undefined {
  return stepNames.find((step) => (step === 'decision' ? !isDecided : found[step] === undefined));
}

const storedName = (userId: string, what: 'dismissed' | 'decided') => `tessera-first-run ${what} ${userId}`;

/** Kept in this browser: it concerns what one looks at, and nothing else. */
export function isNoted(userId: string, what: 'dismissed' | 'decided'): boolean {
  try {
    return localStorage.getItem(storedName(userId, what)) !== null;
  } catch {
    return false;
  }
}

export function note(userId: string, what: 'dismissed' | 'decided', isSo = true): void {
  try {
    if (isSo) localStorage.setItem(storedName(userId, what), '1');
    else localStorage.removeItem(storedName(userId, what));
  } catch {
    // A browser may refuse to keep anything; then it holds until the page is left.
  }
}
