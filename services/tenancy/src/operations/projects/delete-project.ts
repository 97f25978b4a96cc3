import { failures } from '@tessera/kernel/errors';
import { Id, scopeField, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { projectScope } from '../../domain/project.ts';
import { projectDeleted } from '../../events.ts';
import { endGrants } from '../../storage/project-grants.ts';
import { countProjectUsers } from '../../storage/project-users.ts';
import { lockProject, deleteProject as remove } from '../../storage/projects.ts';
import { recordEnded } from '../project-grants/project-grant.ts';
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
  events: ['grant.changed', 'owners.told', 'project.deleted'],
  leaves: 'nothing',
  changesDocuments: true,
  rest: { method: 'DELETE', path: '/api/projects/:id' },
  graphql: { field: 'deleteProject', type: 'Project' },
  /** Counted before, because the other services delete their rows when they receive the event. */
  prepare: ({ id }, context) => context.deps.countsOf([projectScope(parentOf(context), id)]),
  handle: async ({ id, hardDelete = false }, context, counts) => {
    const parent = parentOf(context);
    // Before its grants: no other is made while these end.
    if ((await lockProject(context.tx, parent, id)) === undefined) throw failures.notFound('Project');
    const users = await countProjectUsers(context.tx, parent.id, id);
    const grants = parent.tenant === 'organization' ? await endGrants(context.tx, { projectId: id }) : [];
    const project = await remove(context.tx, parent, id, hardDelete);
    if (!project) throw failures.notFound('Project');
    context.emit(...(await recordEnded(grants, { organizationId: parent.id, isProject: true }, context)));
    context.audit({ targetType: 'Project', targetId: id, detail: { hardDelete, counts: { users, ...counts } } });
    context.emit(projectDeleted(parent, id, hardDelete));
    return { ...project, primaryTagId: null };
  },
});
