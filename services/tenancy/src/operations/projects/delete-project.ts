import { failures } from '@tessera/kernel/errors';
import { Id, scopeField, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { projectDeleted } from '../../events.ts';
import { deleteProject as remove } from '../../storage/projects.ts';
import { ProjectSchema, parentOf, projectParents } from './project.ts';

export const deleteProject = operation({
  name: 'deleteProject',
  summary: 'Delete a project with everything in it: users, roles, resources, keys, apps and their tokens',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id, hardDelete: Type.Optional(Type.Boolean()) }),
  output: ProjectSchema,
  access: { permission: 'Project:Delete' },
  scopes: projectParents,
  verification: 'by-scope',
  errors: ['NOT_FOUND'],
  audit: 'project.deleted',
  events: ['project.deleted'],
  rest: { method: 'DELETE', path: '/api/projects/:id' },
  graphql: { field: 'deleteProject', type: 'Project' },
  handle: async ({ id, hardDelete = false }, context) => {
    const parent = parentOf(context);
    const project = await remove(context.tx, parent, id, hardDelete);
    if (!project) throw failures.notFound('Project');
    context.audit({ targetType: 'Project', targetId: id, detail: { hardDelete } });
    context.emit(projectDeleted(parent, id, hardDelete));
    return { ...project, primaryTagId: null };
  },
});
