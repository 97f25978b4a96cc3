import { strict } from '@tessera/kernel/operation';
import { auditCounted } from '../../../ground/audit-counted.ts';
import { readAddress } from '../../../people/operations/addresses.ts';
import { Address, Success } from '../../../people/operations/entities.ts';
import { operation } from '../../deps.ts';
import { appOfLink, findAppOfLink } from './app-of-link.ts';

export const resendVerification = operation({
  name: 'resendVerification',
  summary: 'Send the verification mail again; the answer is the same for every address',
  kind: 'mutation',
  input: strict({ email: Address, ...appOfLink }),
  output: Success,
  access: { open: 'the caller may not be signed in' },
  scopes: 'none',
  verification: { exempt: 'it verifies the user' },
  limit: 'auth',
  errors: [],
  audit: 'user.verification-requested',
  events: [],
  leaves: { ends: 'the link in the mail works once, and for hours' },
  rest: { method: 'POST', path: '/api/auth/resend-verification' },
  graphql: { field: 'resendVerification', type: 'SuccessResult' },

  async handle({ email, ...asked }, context) {
    const { tx, deps, request, now } = context;
    auditCounted({ operation: 'resendVerification', action: 'user.verification-requested' }, context);
    const app = await findAppOfLink(tx, asked);
    await deps.mailer.queueLink(tx, 'verify-email', { to: readAddress(email, 'email'), language: request.language, app }, now);
    return { success: true };
  },
  complete: async (result, { deps }) => {
    deps.mailer.poke();
    return result;
  },
});
