import { annotate, Id, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { auditCounted } from '../../../ground/audit-counted.ts';
import { networkOf } from '../../../ground/client-network.ts';
import { digest } from '../../../ground/tokens/digest.ts';
import { readAddress } from '../../../people/operations/addresses.ts';
import { Address, Success } from '../../../people/operations/entities.ts';
import { operation, type SignInDeps } from '../../deps.ts';
import { beginPlace, emailCodeMs, nameOf, sendEmailCode } from '../../email-code.ts';
import { errors } from '../../errors.ts';
import { replaceEmailCode } from '../../storage/email-codes.ts';

const mostOfClient = 5;
/** From all clients together, so that codes cannot fill a mailbox. */
const mostOfAddress = 20;
const windowSeconds = 600;

export const requestEmailCode = operation({
  name: 'requestEmailCode',
  summary: 'Send a code to sign in with; the answer is the same for every address',
  kind: 'mutation',
  input: strict({
    email: Address,
    appId: Type.Optional(
      annotate(Id, { description: 'The app that the person signs in to: it may not allow codes, and the mail names it' }),
    ),
    interactionId: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'Of the page: the link in the mail leads on to it' }),
    ),
  }),
  output: Success,
  access: { open: 'the caller is not signed in' },
  scopes: 'none',
  verification: { exempt: 'the caller is not signed in' },
  isolation: { unscoped: 'the account is looked up by its address, after the response' },
  limit: 'auth',
  errors: ['BAD_USER_INPUT', 'FORBIDDEN'],
  audit: 'session.code-requested',
  events: [],
  leaves: { ends: 'the code works once, for ten minutes' },
  rest: { method: 'POST', path: '/api/auth/email-code', status: 202 },
  graphql: { field: 'requestEmailCode', type: 'SuccessResult' },

  async prepare({ email }, { deps, request }) {
    if (!deps.settings.hasEmailCodes) throw errors.noEmailCodes();
    const address = readAddress(email, 'email');
    return { address, isTooOften: await isTooOften(address, request.ipAddress, deps) };
  },

  async handle({ appId, interactionId }, context, { address, isTooOften }) {
    const { tx, deps, now, request } = context;
    auditCounted({ operation: 'requestEmailCode', action: 'session.code-requested' }, context);
    const place = beginPlace(address, context);
    const { code, hash } = deps.emailCodes.create(nameOf(place));
    // Any caller may request codes for any address: those sent before still work.
    if (isTooOften) return undefined;
    await replaceEmailCode(tx, place, { hash, expiresAt: new Date(now.getTime() + emailCodeMs) }, now);
    const url = urlOf(deps.settings.frontendUrl, { email: address, code, interaction: interactionId });
    return { address, place, code, hash, appId, url, language: request.language, ipAddress: request.ipAddress };
  },

  async complete(mail, { deps }) {
    if (mail !== undefined) deps.background.run('code to sign in', () => sendEmailCode(mail, deps));
    return { success: true };
  },
});

/**
 * Each client has a count of its own, so that the requests of a stranger leave the owner of the
 * address their codes. One that is refused does not count for the address.
 */
async function isTooOften(address: string, ipAddress: string, { counters }: SignInDeps): Promise<boolean> {
  const countOf = (name: string) => counters.increment(`email-code:${digest(name)}`, 1, windowSeconds);
  return (await countOf(`${address} ${networkOf(ipAddress)}`)) > mostOfClient || (await countOf(address)) > mostOfAddress;
}

/** Of a page whose button signs in: mail scanners open links. */
function urlOf(frontendUrl: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) search.set(name, value);
  return `${frontendUrl}/auth/email-code?${search}`;
}
