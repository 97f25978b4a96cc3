import { failures } from '@tessera/kernel/errors';
import { newId } from '@tessera/kernel/ids';
import { callerOf, Metadata, Name, Nullable, scopeField, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { deriveSlug } from '../../domain/slug.ts';
import { projectCreated } from '../../events.ts';
import { insertProject } from '../../storage/projects.ts';
import { assertRoom } from '../quota.ts';
import { Description, ProjectSchema, parentOf, projectParents, projectTags } from './project.ts';
import { checkTags, showProject } from './tags.ts';

export const createProject = operation({
  name: 'createProject',
  summary: 'Create a project in an account or an organization',
  kind: 'mutation',
  input: strict({
    ...scopeField,
    name: Name,
    description: Type.Optional(Nullable(Description)),
    metadata: Type.Optional(Metadata),
    ...projectTags,
  }),
  output: ProjectSchema,
  access: { permission: 'Project:Create' },
  scopes: projectParents,
  verification: 'by-scope',
  errors: ['QUOTA_EXCEEDED'],
  audit: 'project.created',
  events: ['project.created'],
  leaves: 'nothing',
  changesDocuments: true,
  rest: { method: 'POST', path: '/api/projects', status: 201 },
  graphql: { field: 'createProject', type: 'Project' },
  prepare: checkTags,
  handle: async ({ name, description = null, metadata = {}, tagIds = [], primaryTagId = null }, context) => {
    const { tx, emit, audit } = context;
    const { userId } = callerOf(context);
    const parent = parentOf(context);
    await assertRoom('projects', parent.id, context);
    const id = newId();
    const row = { id, name, slug: deriveSlug(name, 'project'), description, metadata, createdBy: userId };
    const project = await insertProject(tx, parent, row);
    // The parent was deleted between authorization and this transaction.
    if (!project) throw failures.forbidden();
    const allTagIds = [...new Set([...tagIds, ...(primaryTagId === null ? [] : [primaryTagId])])];
    audit({ targetType: 'Project', targetId: id, ...(allTagIds.length > 0 && { after: { tagIds: allTagIds.toSorted() } }) });
    emit(projectCreated(parent, id, userId, { tagIds: allTagIds, primaryTagId }));
    return project;
  },
  complete: showProject,
});
