import type { ComponentType } from 'react';
import type { IconName } from '../base/icon.tsx';
import { type Kind, kindOf, type Place } from '../base/scope.ts';
import type { Key } from '../base/words.ts';

/** The parts of the navigation after the first, which has no heading, in their order. */
const groups = ['access', 'signIn', 'programs', 'observe', 'general'] as const;
type GroupName = (typeof groups)[number];

type Area = {
  /** The last part of the address; empty for the overview. */
  readonly path: string;
  readonly label: Key;
  readonly icon: IconName;
  /** Left out: what a place is about comes first, without a heading. */
  readonly group?: GroupName;
  readonly kinds: readonly Kind[];
  /** The permission without which the area is not shown. */
  readonly needs?: string;
  /** Another one in a place of this kind. */
  readonly needsIn?: Partial<Readonly<Record<Kind, string>>>;
  /** Projects of accounts have no such area. */
  readonly isOfOrganizations?: true;
  readonly load: () => Promise<{ readonly Screen: ComponentType }>;
};

const inside = ['organization', 'project'] as const;

/** Every area of a place, in the order of the navigation: one group after the other. */
const areas: readonly Area[] = [
  { path: '', label: 'overview', icon: 'home', kinds: ['account', ...inside], load: () => import('../screens/overview.tsx') },
  {
    path: 'members',
    label: 'members',
    icon: 'people',
    kinds: ['organization'],
    needs: 'OrganizationMember:Query',
    load: () => import('../screens/members/members.tsx'),
  },
  {
    path: 'projects',
    label: 'projects',
    icon: 'folder',
    kinds: ['account', 'organization'],
    needs: 'Project:Query',
    load: () => import('../screens/projects.tsx'),
  },
  {
    path: 'applications',
    label: 'applications',
    icon: 'app',
    kinds: ['organization'],
    needs: 'ProjectGrant:Query',
    load: () => import('../screens/grants/applications.tsx'),
  },
  {
    path: 'people',
    label: 'people',
    icon: 'people',
    kinds: ['project'],
    needs: 'User:Query',
    load: () => import('../screens/people/people.tsx'),
  },
  {
    path: 'customers',
    label: 'customers',
    icon: 'building',
    kinds: ['project'],
    needs: 'ProjectGrant:Query',
    isOfOrganizations: true,
    load: () => import('../screens/grants/customers.tsx'),
  },
  {
    path: 'roles',
    label: 'roles',
    icon: 'shield',
    kinds: inside,
    group: 'access',
    needs: 'Role:Query',
    load: () => import('../screens/role/roles.tsx'),
  },
  {
    path: 'groups',
    label: 'groups',
    icon: 'stack',
    kinds: inside,
    group: 'access',
    needs: 'Group:Query',
    load: () => import('../screens/groups.tsx'),
  },
  {
    path: 'permissions',
    label: 'permissions',
    icon: 'lock',
    kinds: inside,
    group: 'access',
    needs: 'Permission:Query',
    load: () => import('../screens/permissions.tsx'),
  },
  {
    path: 'resources',
    label: 'resources',
    icon: 'box',
    kinds: ['project'],
    group: 'access',
    needs: 'Resource:Query',
    load: () => import('../screens/resources.tsx'),
  },
  {
    path: 'decisions',
    label: 'decisions',
    icon: 'scale',
    kinds: inside,
    group: 'access',
    load: () => import('../screens/decisions/decisions.tsx'),
  },
  {
    path: 'security',
    label: 'securityArea',
    icon: 'lock',
    kinds: ['organization'],
    group: 'signIn',
    needs: 'Organization:Update',
    load: () => import('../screens/security.tsx'),
  },
  {
    path: 'domains',
    label: 'domains',
    icon: 'globe',
    kinds: ['organization'],
    group: 'signIn',
    needs: 'Domain:Query',
    load: () => import('../screens/domains/domains.tsx'),
  },
  {
    path: 'connections',
    label: 'connections',
    icon: 'door',
    kinds: ['organization'],
    group: 'signIn',
    needs: 'Connection:Query',
    load: () => import('../screens/connections/connections.tsx'),
  },
  {
    path: 'set-up-links',
    label: 'setUpLinks',
    icon: 'key',
    kinds: ['organization'],
    group: 'signIn',
    needs: 'Connection:Query',
    load: () => import('../screens/set-up-links/set-up-links.tsx'),
  },
  {
    path: 'directory',
    label: 'directory',
    icon: 'building',
    kinds: ['organization'],
    group: 'signIn',
    needs: 'Directory:Query',
    load: () => import('../screens/directory/directory.tsx'),
  },
  {
    path: 'directory-people',
    label: 'directoryPeople',
    icon: 'people',
    kinds: ['organization'],
    group: 'signIn',
    needs: 'Directory:Query',
    load: () => import('../screens/directory/people.tsx'),
  },
  {
    path: 'directory-groups',
    label: 'directoryGroups',
    icon: 'stack',
    kinds: ['organization'],
    group: 'signIn',
    needs: 'Directory:Query',
    load: () => import('../screens/directory/groups.tsx'),
  },
  {
    path: 'apps',
    label: 'apps',
    icon: 'app',
    kinds: ['project'],
    group: 'programs',
    needs: 'ProjectApp:Query',
    load: () => import('../screens/app/apps.tsx'),
  },
  {
    path: 'keys',
    label: 'apiKeys',
    icon: 'key',
    kinds: ['project'],
    group: 'programs',
    needs: 'ApiKey:Query',
    load: () => import('../screens/keys.tsx'),
  },
  {
    path: 'signing-keys',
    label: 'signingKeys',
    icon: 'clock',
    kinds: ['project'],
    group: 'programs',
    needs: 'SigningKey:Query',
    load: () => import('../screens/signing-keys.tsx'),
  },
  {
    path: 'service-accounts',
    label: 'serviceAccounts',
    icon: 'device',
    kinds: ['account', 'organization'],
    group: 'programs',
    needs: 'ServiceAccount:Query',
    // In an account that makes no organizations a machine could do nothing.
    needsIn: { account: 'Organization:Create' },
    load: () => import('../screens/service-accounts/service-accounts.tsx'),
  },
  {
    path: 'webhooks',
    label: 'webhooks',
    icon: 'send',
    kinds: inside,
    group: 'programs',
    needs: 'Webhook:Query',
    load: () => import('../screens/webhooks/webhooks.tsx'),
  },
  {
    path: 'audit',
    label: 'auditLog',
    icon: 'list',
    kinds: ['account', ...inside],
    group: 'observe',
    needs: 'AuditEvent:Query',
    load: () => import('../screens/audit.tsx'),
  },
  {
    path: 'support',
    label: 'supportArea',
    icon: 'people',
    kinds: inside,
    group: 'observe',
    needs: 'SupportAccess:Query',
    isOfOrganizations: true,
    load: () => import('../screens/support/support.tsx'),
  },
  {
    path: 'branding',
    label: 'branding',
    icon: 'palette',
    kinds: inside,
    group: 'general',
    needs: 'Branding:Query',
    load: () => import('../screens/branding/branding.tsx'),
  },
  {
    path: 'mail-texts',
    label: 'mailTexts',
    icon: 'mail',
    kinds: ['organization'],
    group: 'general',
    needs: 'Branding:Query',
    load: () => import('../screens/mail-texts/mail-texts.tsx'),
  },
  {
    path: 'tags',
    label: 'tags',
    icon: 'tag',
    kinds: ['account', ...inside],
    group: 'general',
    needs: 'Tag:Query',
    load: () => import('../screens/tags.tsx'),
  },
  {
    path: 'settings',
    label: 'settings',
    icon: 'gear',
    kinds: ['account', 'organization'],
    group: 'general',
    load: () => import('../screens/settings.tsx'),
  },
  {
    path: 'settings',
    label: 'settings',
    icon: 'gear',
    kinds: ['project'],
    group: 'general',
    needs: 'Project:Query',
    load: () => import('../screens/settings.tsx'),
  },
];

/** All areas of a place, before the rights of a person are asked. */
export function areasOf(place: Place): readonly Area[] {
  const kind = kindOf(place);
  const here = areas.filter(({ kinds, isOfOrganizations }) => kinds.includes(kind) && (!isOfOrganizations || place.kind === 'org'));
  return here.map(({ needsIn, ...area }) => ({ ...area, ...(needsIn?.[kind] === undefined ? {} : { needs: needsIn[kind] }) }));
}

/** Areas by their group, in its order; a group with nothing to show is left out. */
export function byGroup<Shown extends Pick<Area, 'group'>>(shown: readonly Shown[]) {
  return [undefined, ...groups].flatMap((name) => {
    const inGroup = shown.filter(({ group }) => group === name);
    return inGroup.length === 0 ? [] : [{ name, areas: inGroup }];
  });
}

/** The areas below an account or organization, or below a project, for the router. */
export function areasBelow(isProject: boolean): readonly Area[] {
  return areas.filter(({ kinds }) => (isProject ? kinds.includes('project') : kinds.some((kind) => kind !== 'project')));
}

type OwnArea = Omit<Area, 'group' | 'kinds' | 'needs' | 'needsIn' | 'isOfOrganizations'>;

/** The areas of one's own profile. */
export const ownAreas: readonly OwnArea[] = [
  { path: '', label: 'profile', icon: 'person', load: () => import('../screens/me/profile.tsx') },
  { path: 'sign-in', label: 'waysToSignIn', icon: 'lock', load: () => import('../screens/me/sign-in.tsx') },
  { path: 'sessions', label: 'sessions', icon: 'device', load: () => import('../screens/me/sessions.tsx') },
  { path: 'apps', label: 'connectedApps', icon: 'app', load: () => import('../screens/me/apps.tsx') },
  { path: 'activity', label: 'activity', icon: 'list', load: () => import('../screens/me/activity.tsx') },
  { path: 'data', label: 'yourData', icon: 'download', load: () => import('../screens/me/data.tsx') },
];

/** The areas of platform administrators. */
export const platformAreas: readonly OwnArea[] = [
  { path: 'tenants', label: 'tenants', icon: 'stack', load: () => import('../screens/platform/tenants.tsx') },
  { path: 'people', label: 'people', icon: 'person', load: () => import('../screens/platform/people.tsx') },
  {
    path: 'service-accounts',
    label: 'serviceAccounts',
    icon: 'device',
    load: () => import('../screens/service-accounts/service-accounts.tsx'),
  },
  { path: 'connections', label: 'platformConnections', icon: 'lock', load: () => import('../screens/platform/connections.tsx') },
  { path: 'audit', label: 'platformLog', icon: 'list', load: () => import('../screens/platform/audit.tsx') },
];
