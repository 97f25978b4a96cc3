import { failures } from '@tessera/kernel/errors';
import { assertVersion, Id, Metadata, Name, Nullable, scopeField, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { projectTagged } from '../../events.ts';
import { findProject, lockProject, updateProject as update } from '../../storage/projects.ts';
import { Description, ProjectSchema, parentOf, projectParents, projectTags } from './project.ts';
import { planTags, showProject } from './tags.ts';

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
  events: ['project.tagged'],
  leaves: 'nothing',
  rest: { method: 'PATCH', path: '/api/projects/:id' },
  graphql: { field: 'updateProject', type: 'Project' },
  prepare: (input, context) => planTags(input.id, input, context),
  // rbac stores the tags: the event commits with the other changes, so both happen or neither.
  handle: async ({ id, name, description, metadata }, context, tags) => {
    const parent = parentOf(context);
    await assertVersion(context.request, () => lockProject(context.tx, parent, id));
    const before = await findProject(context.tx, parent, id);
    const project = await update(context.tx, parent, id, { name, description, metadata });
    if (!project) throw failures.notFound('Project');
    if (tags) context.emit(projectTagged(parent, id, tags.after));
    const entry = { targetType: 'Project', targetId: id, detail: { name: project.name } };
    const after = tags && { ...tags.after, tagIds: tags.after.tagIds.toSorted() };
    context.audit({ ...entry, before: { ...before, ...tags?.before }, ...(after && { after }) });
    return project;
  },
  complete: showProject,
});
