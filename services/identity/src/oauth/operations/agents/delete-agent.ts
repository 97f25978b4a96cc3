import { Id, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import { Success } from '../../../people/operations/entities.ts';
import { operation } from '../../deps.ts';
import { assertMayEnd, ClientId, endActing } from './end-acting.ts';

export const deleteAgent = operation({
  name: 'deleteAgent',
  summary: 'End what an app may do for a person in an organization; its tokens end at once, and sign-ins to it are refused',
  kind: 'mutation',
  input: strict({ ...scopeField, userId: Id, clientId: ClientId }),
  output: Success,
  access: { permission: 'User:ExportData' },
  scopes: ['organization'],
  verification: 'by-scope',
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  audit: 'agent.ended',
  events: [],
  leaves: 'nothing',
  rest: { method: 'DELETE', path: '/api/agents/:userId/:clientId' },
  graphql: { field: 'deleteAgent', type: 'SuccessResult' },

  prepare: ({ userId }, context) => assertMayEnd(userId, context),

  handle: ({ userId, clientId }, context) => endActing({ userId, clientId, organizationId: scopeOf(context).id }, context),

  async complete(revocations, { deps }) {
    deps.revoker.announce(revocations);
    return { success: true };
  },
});
