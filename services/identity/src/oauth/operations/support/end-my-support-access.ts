import { callerOf, Id, strict } from '@tessera/kernel/operation';
import type { SupportAccess as Row, SupportEnd } from '../../../apps/storage/support-accesses.ts';
import { Success } from '../../../people/operations/entities.ts';
import { operation } from '../../deps.ts';
import { endOne } from './end-support.ts';

export const endMySupportAccess = operation({
  name: 'endMySupportAccess',
  summary: 'End what a supporter does as the caller, or what the caller does as a supporter; the tokens end at once',
  kind: 'mutation',
  input: strict({ id: Id }),
  output: Success,
  access: { signedIn: 'ends what acts for the caller, or what the caller does' },
  support: 'allowed',
  scopes: 'none',
  verification: { exempt: 'to take back what somebody may do is always allowed' },
  errors: ['NOT_FOUND'],
  audit: 'support.ended',
  events: [],
  leaves: 'nothing',
  rest: { method: 'DELETE', path: '/api/me/support-access/:id' },
  graphql: { field: 'endMySupportAccess', type: 'SuccessResult' },

  handle({ id }, context) {
    const { userId, claims } = callerOf(context);
    // A supporter who acts as the person ends this access, and sees or ends no other one of theirs.
    const whose = (row: Row): SupportEnd | undefined =>
      claims.support === undefined
        ? row.userId === userId
          ? 'person'
          : row.supporterId === userId
            ? 'supporter'
            : undefined
        : row.id === claims.support.id
          ? 'supporter'
          : undefined;
    return endOne(id, whose, context);
  },

  async complete({ revocations }, { deps }) {
    deps.revoker.announce(revocations);
    return { success: true };
  },
});
