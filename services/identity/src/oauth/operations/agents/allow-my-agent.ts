import { callerOf, strict } from '@tessera/kernel/operation';
import { Success } from '../../../people/operations/entities.ts';
import { operation } from '../../deps.ts';
import { allowActing, ClientId } from './end-acting.ts';

export const allowMyAgent = operation({
  name: 'allowMyAgent',
  summary: 'Let an app act for the caller again that the caller has ended',
  kind: 'mutation',
  input: strict({ clientId: ClientId }),
  output: Success,
  access: { signedIn: 'allows what acts for the caller only' },
  scopes: 'none',
  verification: { exempt: 'allows nothing that was not allowed before' },
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  audit: 'agent.allowed',
  events: [],
  leaves: { ends: 'the person, their organization, or the app whose tokens it exchanges ends it' },
  rest: { method: 'POST', path: '/api/me/agents/:clientId/allow' },
  graphql: { field: 'allowMyAgent', type: 'SuccessResult' },

  async handle({ clientId }, context) {
    await allowActing({ userId: callerOf(context).userId, clientId }, context);
    return { success: true };
  },
});
