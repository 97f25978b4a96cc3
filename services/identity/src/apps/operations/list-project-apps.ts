import { pageFields, pageOf, scopeField, scopeOf, strict, tagFilter } from '@tessera/kernel/operation';
import { wireScope } from '../../people/operations/scoped-people.ts';
import { operation } from '../deps.ts';
import { pageProjectApps } from '../storage/project-apps.ts';
import { ProjectApp, projectAppRelations, projectScopeOf, projectTenants, toProjectApp } from './project-app.ts';

export const listProjectApps = operation({
  name: 'listProjectApps',
  summary: 'The apps of a project',
  kind: 'query',
  input: strict({ ...scopeField, ...pageFields(['name', 'createdAt', 'updatedAt'], ['tags']), ...tagFilter }),
  output: pageOf(ProjectApp),
  access: { permission: 'ProjectApp:Query' },
  scopes: projectTenants,
  verification: 'by-scope',
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['SERVICE_UNAVAILABLE'],
  audit: { none: 'a list of apps' },
  events: [],
  rest: { method: 'GET', path: '/api/project-apps' },
  graphql: { field: 'projectApps', type: 'ProjectAppPage', items: 'projectApps' },
  relations: projectAppRelations,

  async prepare({ tagIds = [] }, context) {
    if (tagIds.length === 0) return undefined;
    const request = { scope: wireScope(scopeOf(context)), entity: 'projectApp', tagIds };
    return (await context.deps.tags.listTaggedEntities(request)).entityIds;
  },

  async handle(input, { tx, ...context }, tagged) {
    const { rows, totalCount, hasNextPage } = await pageProjectApps(tx, projectScopeOf(context), input, tagged);
    return { items: rows.map(toProjectApp), totalCount, hasNextPage };
  },
});
