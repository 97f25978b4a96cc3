import { failures } from '@tessera/kernel/errors';
import { Id, Metadata, Name, Nullable, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../operation.ts';
import { findProject, updateProject as update } from '../../storage/projects.ts';
import { Description, ProjectSchema, parentOf, projectParents, projectTags } from './project.ts';
import { checkTags, showProject } from './tags.ts';

export const updateProject = operation({
  name: 'updateProject',
  summary: 'Change a project’s name, description, metadata or tags',
  kind: 'mutation',
  input: strict({
    ...scopeField,
    id: Id,
    name: Type.Optional(Name),
    description: Type.Optional(Nullable(Description)),
    metadata: Type.Optional(Metadata),
    ...projectTags,
  }),
  output: ProjectSchema,
  access: { permission: 'Project:Update' },
  scopes: projectParents,
  verification: 'by-scope',
  errors: ['NOT_FOUND'],
  audit: 'project.updated',
  events: [],
  rest: { method: 'PATCH', path: '/api/projects/:id' },
  graphql: { field: 'updateProject' },
  // Tags live in rbac and are replaced there in one transaction of its own; asking again after a crash in between ends in the same state.
  prepare: async ({ id, tagIds, primaryTagId }, context) => {
    if (tagIds === undefined && primaryTagId === undefined) return;
    const { database, tags } = context.deps;
    if (!(await database.scoped(scopeOf(context), (tx) => findProject(tx, parentOf(context), id), { readOnly: true })))
      throw failures.notFound('Project');
    await checkTags({ ...(tagIds ? { tagIds } : {}), ...(primaryTagId === undefined ? {} : { primaryTagId }) }, context);
    const scope = { tenant: scopeOf(context).tenant, id: scopeOf(context).id };
    const { entities } = await tags.listEntityTags({ scope, entity: 'project', entityIds: [id] });
    const [current = { tags: [], primaryTagId: undefined }] = entities;
    const primary = primaryTagId === undefined ? current.primaryTagId : (primaryTagId ?? undefined);
    const wanted = tagIds ?? [...new Set([...current.tags.map((tag) => tag.id), ...(primary === undefined ? [] : [primary])])];
    const keptPrimary = primary !== undefined && wanted.includes(primary) ? { primaryTagId: primary } : {};
    await tags.setEntityTags({ scope, entity: 'project', entityId: id, tagIds: wanted, ...keptPrimary });
  },
  handle: async ({ id, name, description, metadata }, context) => {
    const project = await update(context.tx, parentOf(context), id, { name, description, metadata });
    if (!project) throw failures.notFound('Project');
    context.audit({ targetType: 'Project', targetId: id });
    return project;
  },
  complete: showProject,
});
