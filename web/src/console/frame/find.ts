import type { Input } from '@tessera/client';
import { type Me, tessera } from '../../session/tessera.ts';
import type { IconName } from '../base/icon.tsx';
import { type OrganizationScope, type Place, type ProjectScope, parentScopeOf, pathOf, scopeOf } from '../base/scope.ts';
import type { Key } from '../base/words.ts';
import { listPeople } from '../parts/person/people.ts';
import { signInNameOf } from '../parts/person/sign-in-name.ts';

export type Hit = {
  readonly id: string;
  readonly name: string;
  /** What tells people of one name apart. */
  readonly note?: string | undefined;
  readonly icon: IconName;
  readonly kind: Key;
  readonly to: string;
};
type Page = {
  readonly items: readonly { readonly id: string; readonly name: string | null; readonly email?: string | null | undefined }[];
};
type Source = {
  readonly kind: Key;
  readonly icon: IconName;
  readonly load: () => Promise<Page>;
  readonly to: (id: string, name: string) => string;
};

const most = 5;
/** Shorter texts find places and screens only: they would match nearly everything. */
const shortest = 2;

/** What matches, of each kind a few. Without a text: the places that one can go to. */
export async function find(me: Me, place: Place | undefined, search: string, may: (permission: string) => boolean): Promise<Hit[]> {
  const sources = [
    ...placesOf(me, place, search),
    ...applicationsOf(place, search, may),
    ...(search.length < shortest || place === undefined ? [] : thingsIn(place, search, may)),
  ];
  // One kind that cannot be read does not hide the others.
  const found = await Promise.allSettled(
    sources.map(async ({ kind, icon, load, to }) => {
      const { items } = await load();
      return items.map(({ id, name, email }) => {
        const shown = name ?? email ?? id;
        return { id, name: shown, note: email === shown ? undefined : (email ?? undefined), icon, kind, to: to(id, email ?? name ?? '') };
      });
    }),
  );
  const [failed] = found.filter(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected' && found.every(({ status }) => status === 'rejected')) throw failed.reason;
  return found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
}

function placesOf({ accounts }: Me, place: Place | undefined, search: string): Source[] {
  const [account] = accounts;
  const parent: Place | undefined = place
    ? { kind: place.kind, parentId: place.parentId }
    : account && { kind: 'acc', parentId: account.id };
  const asked = { limit: most, ...(search === '' ? {} : { search }) };
  return [
    ...(account === undefined
      ? []
      : [
          {
            kind: 'organization' as const,
            icon: 'people' as const,
            to: (id: string) => `/console/org/${id}`,
            load: () => tessera.listOrganizations({ scope: { tenant: 'account', id: account.id }, ...asked }),
          },
        ]),
    ...(parent === undefined
      ? []
      : [
          {
            kind: 'project' as const,
            icon: 'folder' as const,
            to: (id: string) => pathOf({ ...parent, projectId: id }),
            load: () => tessera.listProjects({ scope: parentScopeOf(parent), ...asked }),
          },
        ]),
  ];
}

/** The places where the organization uses projects of others. */
function applicationsOf(place: Place | undefined, search: string, may: (permission: string) => boolean): Source[] {
  // In a project the same right is about its customers.
  if (place?.kind !== 'org' || place.projectId !== undefined || !may('ProjectGrant:Query')) return [];
  const scope = { tenant: 'organization', id: place.parentId } as const;
  const asked = { status: 'active', limit: most, ...(search === '' ? {} : { search }) } as const;
  return [
    {
      kind: 'application',
      icon: 'app',
      to: (id) => pathOf({ ...place, projectId: id }),
      load: async () => ({ items: (await tessera.listProjectGrants({ scope, ...asked })).items.map(({ project }) => project) }),
    },
  ];
}

async function findPeople(input: Input<'listUsers'>, may: (permission: string) => boolean): Promise<Page> {
  const { items } = await listPeople(input, { may });
  const emailOf = (methods: (typeof items)[number]['authenticationMethods']) => {
    const name = signInNameOf(methods);
    return name.kind === 'known' ? name.text : undefined;
  };
  return { items: items.map(({ id, name, authenticationMethods }) => ({ id, name, email: emailOf(authenticationMethods) })) };
}

function thingsIn(place: Place, search: string, may: (permission: string) => boolean): Source[] {
  const scope = scopeOf(place);
  const asked = { search, limit: most };
  const inArea = (area: string) => (_id: string, name: string) => `${pathOf(place, area)}?${new URLSearchParams({ q: name })}`;
  const { tenant, id } = scope;
  const people: Source[] =
    tenant === 'organization'
      ? [
          {
            kind: 'member',
            icon: 'people',
            to: (member) => pathOf(place, `members/${member}`),
            load: () => tessera.listOrganizationMembers({ scope: { tenant, id }, ...asked }),
          },
        ]
      : tenant === 'account'
        ? []
        : [{ kind: 'person', icon: 'people', to: inArea('people'), load: () => findPeople({ scope: { tenant, id }, ...asked }, may) }];
  if (tenant === 'account') return people;
  const named: readonly Guarded[] = [
    {
      kind: 'role',
      icon: 'shield',
      needs: 'Role:Query',
      to: (role) => pathOf(place, `roles/${role}`),
      load: () => tessera.listRoles({ scope, ...asked }),
    },
    {
      kind: 'kindOfGroup',
      icon: 'stack',
      needs: 'Group:Query',
      to: inArea('groups'),
      load: async () => ({ items: (await tessera.listGroups({ scope, ...asked })).items.filter(({ roleId }) => roleId === null) }),
    },
    { kind: 'tag', icon: 'tag', needs: 'Tag:Query', to: inArea('tags'), load: () => tessera.listTags({ scope, ...asked }) },
    ...(tenant === 'organization' ? thingsOfOrganization({ tenant, id }, place, search) : thingsOfProject({ tenant, id }, place, search)),
  ];
  return [...people, ...named.filter(({ needs }) => may(needs))];
}

type Guarded = Source & { readonly needs: string };

function thingsOfOrganization(scope: OrganizationScope, place: Place, search: string): readonly Guarded[] {
  const asked = { search, limit: most };
  return [
    {
      kind: 'kindOfServiceAccount',
      icon: 'device',
      needs: 'ServiceAccount:Query',
      to: (account) => pathOf(place, `service-accounts/${account}`),
      load: () => tessera.listServiceAccounts({ scope, ...asked }),
    },
  ];
}

function thingsOfProject(scope: ProjectScope, place: Place, search: string): readonly Guarded[] {
  const asked = { search, limit: most };
  const inArea = (area: string) => (_id: string, name: string) => `${pathOf(place, area)}?${new URLSearchParams({ q: name })}`;
  return [
    {
      kind: 'resource',
      icon: 'box',
      needs: 'Resource:Query',
      to: inArea('resources'),
      load: () => tessera.listResources({ scope, ...asked, isBuiltIn: false }),
    },
    {
      kind: 'kindOfApp',
      icon: 'app',
      needs: 'ProjectApp:Query',
      to: (app) => pathOf(place, `apps/${app}`),
      load: () => tessera.listProjectApps({ scope, ...asked }),
    },
    { kind: 'kindOfKey', icon: 'key', needs: 'ApiKey:Query', to: inArea('keys'), load: () => tessera.listApiKeys({ scope, ...asked }) },
  ];
}
