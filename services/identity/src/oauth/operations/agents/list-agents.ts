import { Id, Nullable, pageOf, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { pageActing } from '../../../apps/storage/acting-apps.ts';
import { findPeople } from '../../../people/storage/people.ts';
import { operation } from '../../deps.ts';
import { pageInput } from '../consents/list-consents.ts';
import { agentFields, toAgents } from './agent.ts';

export const listAgents = operation({
  name: 'listAgents',
  summary: 'The apps that act for people in an organization, in its own projects and in those that it uses',
  kind: 'query',
  input: strict({ ...scopeField, userId: Type.Optional(Id), ...pageInput }),
  output: pageOf(Type.Object({ user: Type.Object({ id: Id, name: Nullable(Type.String()) }), ...agentFields })),
  // What acts for people is about them: Owners and Admins hold this action.
  access: { permission: 'User:ExportData' },
  scopes: ['organization'],
  verification: 'by-scope',
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: [],
  audit: { none: 'a list of apps' },
  events: [],
  rest: { method: 'GET', path: '/api/agents' },
  graphql: { field: 'agents', type: 'AgentPage', items: 'agents' },

  async handle({ userId, page, limit }, context) {
    const of = { userId, organizationId: scopeOf(context).id };
    const found = await pageActing(context.tx, of, { page, limit });
    const ids = found.rows.map((row) => row.userId);
    return { ...found, people: await findPeople(context.tx, [...new Set(ids)]) };
  },

  async complete({ rows, totalCount, hasNextPage, people }, context) {
    const names = new Map(people.map(({ id, name }) => [id, name]));
    const agents = await toAgents(rows, context);
    const items = rows.flatMap(({ userId: id }, index) => {
      const agent = agents[index];
      return agent === undefined ? [] : [{ user: { id, name: names.get(id) ?? null }, ...agent }];
    });
    return { items, totalCount, hasNextPage };
  },
});
