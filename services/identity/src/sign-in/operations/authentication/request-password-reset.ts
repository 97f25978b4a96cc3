import { strict } from '@tessera/kernel/operation';
import { auditCounted } from '../../../ground/audit-counted.ts';
import { readAddress } from '../../../people/operations/addresses.ts';
import { Address, Success } from '../../../people/operations/entities.ts';
import { operation } from '../../deps.ts';
import { appOfLink, findAppOfLink } from './app-of-link.ts';

export const requestPasswordReset = operation({
  name: 'requestPasswordReset',
  summary: 'Send a link to choose a new password; the answer is the same for every address',
  kind: 'mutation',
  input: strict({ email: Address, ...appOfLink }),
  output: Success,
  access: { open: 'the caller cannot sign in without the password' },
  scopes: 'none',
  verification: { exempt: 'the caller is not signed in' },
  limit: 'auth',
  errors: [],
  audit: 'user.password-reset-requested',
  events: [],
  leaves: { ends: 'the link in the mail works once, and for hours' },
  rest: { method: 'POST', path: '/api/auth/request-password-reset' },
  graphql: { field: 'requestPasswordReset', type: 'SuccessResult' },

  async handle({ email, ...asked }, context) {
    const { tx, deps, request, now } = context;
    auditCounted({ operation: 'requestPasswordReset', action: 'user.password-reset-requested' }, context);
    const app = await findAppOfLink(tx, asked);
    await deps.mailer.queueLink(tx, 'reset-password', { to: readAddress(email, 'email'), language: request.language, app }, now);
    return { success: true };
  },
  complete: async (result, { deps }) => {
    deps.mailer.poke();
    return result;
  },
});
