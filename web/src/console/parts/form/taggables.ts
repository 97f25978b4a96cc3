import type { CallOptions } from '@tessera/client';
import { tessera } from '../../../session/tessera.ts';
import type { Scope } from '../../base/scope.ts';

export type Tagged = {
  readonly id: string;
  readonly name: string;
  readonly updatedAt: string;
  readonly tags?: readonly { readonly id: string; readonly name: string; readonly color: string }[];
  readonly primaryTagId?: string | null;
};
type Tags = { readonly tagIds: string[]; readonly primaryTagId: string | null };
type Taggable = {
  readonly read: (scope: Scope, id: string) => Promise<Tagged | undefined>;
  readonly save: (scope: Scope, id: string, tags: Tags, call: CallOptions) => Promise<unknown>;
};

const relations: 'tags'[] = ['tags'];
/** The screens are in places where their things exist; the API refuses any other. */
const as = <Wanted extends Scope>(scope: Scope) => scope as Wanted;
type Inside = Scope & { readonly tenant: 'organization' | 'accountProject' | 'organizationProject' };
type InProject = Scope & { readonly tenant: 'accountProject' | 'organizationProject' };
type Parent = Scope & { readonly tenant: 'account' | 'organization' };

/** REST does not list the tags of a project, GraphQL does. */
const projectsQuery = `query ($input: ProjectsInput!) {
  projects(input: $input) { projects { id name updatedAt primaryTagId tags { id name color } } }
}`;

/** Everything that can carry tags: how they are read, and how they are given. */
export const taggables = {
  Role: {
    read: async (scope, id) => (await tessera.listRoles({ scope, ids: [id], relations })).items[0],
    save: (scope, id, tags, call) => tessera.updateRole({ scope, id, ...tags }, call),
  },
  Group: {
    read: async (scope, id) => (await tessera.listGroups({ scope, ids: [id], relations })).items[0],
    save: (scope, id, tags, call) => tessera.updateGroup({ scope: as<Inside>(scope), id, ...tags }, call),
  },
  Permission: {
    read: async (scope, id) => (await tessera.listScopePermissions({ scope, ids: [id], relations })).items[0],
    save: (scope, id, tags, call) => tessera.updatePermission({ scope: as<Inside>(scope), id, ...tags }, call),
  },
  Resource: {
    read: async (scope, id) => (await tessera.listResources({ scope, ids: [id], relations })).items[0],
    save: (scope, id, tags, call) => tessera.updateResource({ scope, id, ...tags }, call),
  },
  ProjectApp: {
    read: async (scope, id) => (await tessera.listProjectApps({ scope: as<InProject>(scope), ids: [id], relations })).items[0],
    save: (scope, id, tags, call) => tessera.updateProjectApp({ scope: as<InProject>(scope), id, ...tags }, call),
  },
  User: {
    read: async (scope, id) => (await tessera.listUsers({ scope: as<Inside>(scope), ids: [id], relations })).items[0],
    save: (scope, id, tags, call) => tessera.updateUser({ scope: as<Inside>(scope), id, ...tags }, call),
  },
  Project: {
    read: async (scope, id) => {
      const { projects } = await tessera.graphql<{ projects: { projects: Tagged[] } }>(projectsQuery, { input: { scope, ids: [id] } });
      return projects.projects[0];
    },
    save: (scope, id, tags, call) => tessera.updateProject({ scope: as<Parent>(scope), id, ...tags }, call),
  },
} satisfies Readonly<Record<string, Taggable>>;

export type Kind = keyof typeof taggables;
