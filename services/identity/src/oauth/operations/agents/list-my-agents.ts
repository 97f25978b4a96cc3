import { callerOf, pageOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { pageActing } from '../../../apps/storage/acting-apps.ts';
import { operation } from '../../deps.ts';
import { pageInput } from '../consents/list-consents.ts';
import { agentFields, toAgents } from './agent.ts';

export const listMyAgents = operation({
  name: 'listMyAgents',
  summary: 'The apps that act for the caller, after a sign-in or by the token of another app, and what they did last',
  kind: 'query',
  input: strict(pageInput),
  output: pageOf(Type.Object(agentFields)),
  access: { signedIn: 'shows who acts for the caller' },
  scopes: 'none',
  verification: 'by-scope',
  errors: [],
  audit: { none: 'reads who acts for the caller' },
  events: [],
  rest: { method: 'GET', path: '/api/me/agents' },
  graphql: { field: 'myAgents', type: 'MyAgentPage', items: 'myAgents' },

  handle: (page, context) => pageActing(context.tx, { userId: callerOf(context).userId }, page),

  complete: async ({ rows, totalCount, hasNextPage }, context) => ({ items: await toAgents(rows, context), totalCount, hasNextPage }),
});
