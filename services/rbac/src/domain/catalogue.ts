/**
 * What every tenant has from the start: built-in resources, built-in roles, and the actions of each
 * role.
 */

export const builtInResources = {
  User: ['Create', 'Read', 'Update', 'Delete', 'Query', 'ExportData', 'UploadPicture'],
  Account: ['Read', 'Delete', 'Query'],
  Organization: ['Create', 'Read', 'Update', 'Delete', 'Query'],
  Project: ['Create', 'Update', 'Delete', 'Query'],
  ProjectApp: ['Create', 'Update', 'Delete', 'Query'],
  Resource: ['Create', 'Update', 'Delete', 'Query'],
  Role: ['Create', 'Update', 'Delete', 'Query'],
  Group: ['Create', 'Update', 'Delete', 'Query'],
  Permission: ['Create', 'Update', 'Delete', 'Query'],
  Tag: ['Create', 'Update', 'Delete', 'Query'],
  ApiKey: ['Create', 'Delete', 'Query', 'Revoke', 'Exchange'],
  OrganizationMember: ['Read', 'Update', 'Remove', 'Query'],
  OrganizationInvitation: ['Create', 'Read', 'Query', 'Revoke', 'ResendEmail', 'Renew'],
  ProjectUser: ['Read', 'Query'],
  UserSession: ['Read', 'Query'],
  UserAuthenticationMethod: ['Read', 'Query'],
  SigningKey: ['Query', 'Rotate'],
  Decision: ['Evaluate'],
  AuditEvent: ['Query', 'Export'],
  Webhook: ['Create', 'Update', 'Delete', 'Query'],
  ProjectGrant: ['Create', 'Update', 'Delete', 'Query'],
  ServiceAccount: ['Create', 'Update', 'Delete', 'Query'],
  Domain: ['Create', 'Update', 'Delete', 'Query'],
  Branding: ['Create', 'Update', 'Delete', 'Query'],
  Connection: ['Create', 'Update', 'Delete', 'Query'],
  Directory: ['Provision', 'Update', 'Query'],
  SupportAccess: ['Use', 'Query', 'Grant', 'Revoke'],
} as const satisfies Record<string, readonly string[]>;

export type BuiltInResource = keyof typeof builtInResources;

export const organizationRoles = ['Owner', 'Admin', 'Dev', 'Viewer'] as const;
export type OrganizationRole = (typeof organizationRoles)[number];

export const accountRoles = { personal: 'Personal Account Owner', organization: 'Organization Account Owner' } as const;
export type AccountRole = (typeof accountRoles)[keyof typeof accountRoles];

/** For service accounts only: no person and no key holds one. */
export const machineRoles = { account: 'Organization Creator', organization: 'Provisioning' } as const;
export type MachineRole = (typeof machineRoles)[keyof typeof machineRoles];

export type BuiltInRole = OrganizationRole | AccountRole | MachineRole;

type Named = { readonly name: string; readonly isBuiltIn: boolean; readonly rank: number | null };

export function isForMachines({ name, isBuiltIn }: Pick<Named, 'name' | 'isBuiltIn'>): boolean {
  return isBuiltIn && Object.values<string>(machineRoles).includes(name);
}

/** Owner, and the role of an account's owner. */
export function isForPeople(role: Named): boolean {
  return role.isBuiltIn && !isForMachines(role) && (role.rank === null || role.rank === 1);
}

/** Of an organization. */
export function isOwnerRole({ isBuiltIn, rank }: Pick<Named, 'isBuiltIn' | 'rank'>): boolean {
  return isBuiltIn && rank === 1;
}

/** 1 is the highest. Only the roles of an organization have ranks. */
export function rankOf(role: OrganizationRole): number {
  return organizationRoles.indexOf(role) + 1;
}

type Holding = 'yes' | 'own' | 'no';
type MatrixRow = readonly [actions: readonly string[], owner: Holding, admin: Holding, dev: Holding, viewer: Holding];

const resources = Object.keys(builtInResources) as BuiltInResource[];
function actionsOf(resource: BuiltInResource): string[] {
  return builtInResources[resource].map((action) => `${resource}:${action}`);
}
function on(names: readonly BuiltInResource[], ...actions: readonly string[]): string[] {
  return names.flatMap((name) => actions.map((action) => `${name}:${action}`));
}
function readsExcept(...left: readonly BuiltInResource[]): string[] {
  return resources
    .filter((resource) => !left.includes(resource))
    .flatMap(actionsOf)
    .filter((name) => /:(Read|Query)$/.test(name));
}

/**
 * The matrix of docs/permissions.md, which is written from it. Each row: actions, then Owner,
 * Admin, Dev, Viewer.
 */
// biome-ignore format: a table is read by its columns
export const organizationMatrix: readonly MatrixRow[] = [
  [readsExcept('ProjectApp', 'SigningKey', 'AuditEvent', 'Webhook', 'ProjectGrant', 'ServiceAccount', 'Domain', 'Branding', 'Connection', 'Directory', 'SupportAccess'), 'yes', 'yes', 'yes', 'yes'],
  [[...actionsOf('ProjectApp'), ...actionsOf('SigningKey')],                                          'yes', 'yes', 'yes', 'no'],
  [on(['Project', 'Resource', 'Role', 'Group', 'Permission', 'Tag'], 'Create', 'Update', 'Delete'),   'yes', 'yes', 'yes', 'no'],
  [on(['ApiKey'], 'Create', 'Delete', 'Revoke'),                                                      'yes', 'yes', 'own', 'no'],
  [on(['User'], 'Create', 'Update', 'Delete', 'UploadPicture'),                                       'yes', 'yes', 'own', 'no'],
  [on(['OrganizationMember'], 'Update', 'Remove'),                                                    'yes', 'yes', 'no',  'no'],
  [on(['OrganizationInvitation'], 'Create', 'Revoke', 'ResendEmail', 'Renew'),                        'yes', 'yes', 'no',  'no'],
  [on(['User'], 'ExportData'),                                                                        'yes', 'yes', 'no',  'no'],
  [actionsOf('AuditEvent'),                                                                           'yes', 'yes', 'no',  'no'],
  [actionsOf('Webhook'),                                                                              'yes', 'yes', 'no',  'no'],
  [actionsOf('ProjectGrant'),                                                                         'yes', 'yes', 'no',  'no'],
  [actionsOf('ServiceAccount'),                                                                       'yes', 'yes', 'no',  'no'],
  [actionsOf('Domain'),                                                                               'yes', 'yes', 'no',  'no'],
  [actionsOf('Branding'),                                                                             'yes', 'yes', 'no',  'no'],
  [actionsOf('Connection'),                                                                           'yes', 'yes', 'no',  'no'],
  [on(['Directory'], 'Update', 'Query'),                                                              'yes', 'yes', 'no',  'no'],
  [on(['Directory'], 'Provision'),                                                                    'yes', 'no',  'no',  'no'],
  [actionsOf('SupportAccess'),                                                                        'yes', 'yes', 'no',  'no'],
  [on(['Decision'], 'Evaluate'),                                                                      'yes', 'yes', 'no',  'no'],
  [on(['Organization'], 'Update'),                                                                    'yes', 'yes', 'no',  'no'],
  [on(['Organization'], 'Delete'),                                                                    'yes', 'no',  'no',  'no'],
];

const createdByCaller = { Equals: { 'resource.createdBy': '{{user.id}}' } } as const;
const isCaller = { Equals: { 'resource.id': '{{user.id}}' } } as const;

/**
 * 'Own' in the matrix: created by the caller, and for users also the caller itself. Create needs no
 * condition, because the creator owns the result.
 */
function ownCondition(resource: string, action: string): object | null {
  if (action === 'Create') return null;
  return resource === 'User' ? { Or: [createdByCaller, isCaller] } : createdByCaller;
}

export type BuiltInGrant = { readonly resource: string; readonly action: string; readonly condition: object | null };

function grant(name: string, holding: Holding): BuiltInGrant {
  const [resource = '', action = ''] = name.split(':');
  return { resource, action, condition: holding === 'own' ? ownCondition(resource, action) : null };
}

function organizationGrants(role: OrganizationRole): BuiltInGrant[] {
  return organizationMatrix.flatMap(([actions, ...holdings]) => {
    const holding = holdings[rankOf(role) - 1] ?? 'no';
    return holding === 'no' ? [] : actions.map((name) => grant(name, holding));
  });
}

/**
 * An account's owner has every built-in action; only the owner of an organization account creates
 * organizations.
 */
function accountGrants(role: AccountRole): BuiltInGrant[] {
  return resources
    .flatMap(actionsOf)
    .filter((name) => name !== 'Organization:Create' || role === accountRoles.organization)
    .map((name) => grant(name, 'yes'));
}

const table: Readonly<Record<BuiltInRole, readonly BuiltInGrant[]>> = {
  Owner: organizationGrants('Owner'),
  Admin: organizationGrants('Admin'),
  Dev: organizationGrants('Dev'),
  Viewer: organizationGrants('Viewer'),
  [accountRoles.personal]: accountGrants(accountRoles.personal),
  [accountRoles.organization]: accountGrants(accountRoles.organization),
  // SCIM and nothing else. Only Owners give it, because a directory also takes Admins out.
  [machineRoles.organization]: [grant('Directory:Provision', 'yes')],
  // Nothing inside the organizations: its token is bound to the account.
  [machineRoles.account]: ['Organization:Create', 'Organization:Query'].map((name) => grant(name, 'yes')),
};

/** The grants of a built-in role; none for another name. */
export function grantsOf(role: string): readonly BuiltInGrant[] {
  return Object.hasOwn(table, role) ? table[role as BuiltInRole] : [];
}

/** The names of the built-in roles that have the action, under a condition or none. */
export function builtInRolesGiving(resource: string, action: string): string[] {
  return Object.entries(table).flatMap(([role, grants]) =>
    grants.some((grant) => grant.resource === resource && grant.action === action) ? [role] : [],
  );
}

export function isBuiltInAction(resource: string, action: string): boolean {
  return Object.hasOwn(builtInResources, resource) && (builtInResources[resource as BuiltInResource] as readonly string[]).includes(action);
}
