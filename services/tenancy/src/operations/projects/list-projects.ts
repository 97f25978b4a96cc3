import { pageFields, pageOf, scopeField, strict, tagFilter, toPage } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { pageProjects } from '../../storage/projects.ts';
import { filterByTags } from '../tag-filter.ts';
import { ProjectSchema, parentOf, projectParents, projectRelationNames, projectRelations } from './project.ts';
import { showProjects } from './tags.ts';

export const listProjects = operation({
  name: 'listProjects',
  summary: 'The projects of an account or an organization',
  kind: 'query',
  input: strict({ ...scopeField, ...pageFields(['name', 'slug', 'createdAt', 'updatedAt'], projectRelationNames), ...tagFilter }),
  output: pageOf(ProjectSchema),
  access: { permission: 'Project:Query' },
  scopes: projectParents,
  verification: 'by-scope',
  errors: [],
  audit: { none: 'a list' },
  events: [],
  rest: { method: 'GET', path: '/api/projects' },
  graphql: { field: 'projects', type: 'ProjectPage', items: 'projects' },
  relations: projectRelations,
  prepare: (input, context) => filterByTags('project', input, context),
  handle: (input, context, ids) => pageProjects(context.tx, parentOf(context), { ...input, ids }),
  complete: async ({ rows, totalCount }, context, input) => toPage(await showProjects(rows, context), totalCount, input),
});
