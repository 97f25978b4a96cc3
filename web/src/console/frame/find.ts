import type { Input } from '@tessera/client';
import { type Me, tessera } from '../../session/tessera.ts';
import type { IconName } from '../base/icon.tsx';
import { type Place, parentScopeOf, pathOf, scopeOf } from '../base/scope.ts';
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

const most = 6;

/** What matches, of each kind a few. Without a text: the places that one can go to. */
export async function find(me: Me, place: Place | undefined, search: string, may: (permission: string) => boolean): Promise<Hit[]> {
  const sources = [
    ...placesOf(me, place, search),
    ...applicationsOf(place, search, may),
    ...(search === '' || place === undefined ? [] : thingsIn(place, search, may)),
  ];
  const found = await Promise.all(
    sources.map(async ({ kind, icon, load, to }) => {
      const { items } = await load();
      return items.map(({ id, name, email }) => {
        const shown = name ?? email ?? id;
        return { id, name: shown, note: email === shown ? undefined : (email ?? undefined), icon, kind, to: to(id, email ?? name ?? '') };
      });
    }),
  );
  return found.flat();
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
  const roles: Source[] = [
    { kind: 'role', icon: 'shield', to: (role) => pathOf(place, `roles/${role}`), load: () => tessera.listRoles({ scope, ...asked }) },
    { kind: 'tag', icon: 'tag', to: inArea('tags'), load: () => tessera.listTags({ scope, ...asked }) },
  ];
  return [...people, ...(may('Role:Query') ? roles : [])];
}
