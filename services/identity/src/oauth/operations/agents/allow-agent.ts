import { Id, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import { Success } from '../../../people/operations/entities.ts';
import { operation } from '../../deps.ts';
import { allowActing, assertMayEnd, ClientId } from './end-acting.ts';

export const allowAgent = operation({
  name: 'allowAgent',
  summary: 'Allow an app again to act for a person, after the organization has ended that. What the person has ended stays ended',
  kind: 'mutation',
  input: strict({ ...scopeField, userId: Id, clientId: ClientId }),
  output: Success,
  access: { permission: 'User:ExportData' },
  scopes: ['organization'],
  verification: 'by-scope',
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  audit: 'agent.allowed',
  events: [],
  leaves: { ends: 'the person, their organization, or the app whose tokens it exchanges ends it' },
  rest: { method: 'POST', path: '/api/agents/:userId/:clientId/allow' },
  graphql: { field: 'allowAgent', type: 'SuccessResult' },

  prepare: ({ userId }, context) => assertMayEnd(userId, context),

  async handle({ userId, clientId }, context) {
    await allowActing({ userId, clientId, organizationId: scopeOf(context).id }, context);
    return { success: true };
  },
});
