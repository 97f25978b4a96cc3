import { callerOf, strict } from '@tessera/kernel/operation';
import { Success } from '../../../people/operations/entities.ts';
import { operation } from '../../deps.ts';
import { ClientId, endActing } from './end-acting.ts';

export const deleteMyAgent = operation({
  name: 'deleteMyAgent',
  summary: 'End what an app may do for the caller, everywhere; its tokens end at once',
  kind: 'mutation',
  input: strict({ clientId: ClientId }),
  output: Success,
  access: { signedIn: 'ends what acts for the caller only' },
  scopes: 'none',
  verification: { exempt: 'to take back what an app may do is always allowed' },
  errors: ['NOT_FOUND'],
  audit: 'agent.ended',
  events: [],
  leaves: 'nothing',
  rest: { method: 'DELETE', path: '/api/me/agents/:clientId' },
  graphql: { field: 'deleteMyAgent', type: 'SuccessResult' },

  handle: ({ clientId }, context) => endActing({ userId: callerOf(context).userId, clientId }, context),

  async complete(revocations, { deps }) {
    deps.revoker.announce(revocations);
    return { success: true };
  },
});
