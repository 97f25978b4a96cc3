import { failures } from '@tessera/kernel/errors';
import { callerOf, strict, Timestamp } from '@tessera/kernel/operation';
import Type from 'typebox';
import { emailProvider } from '../../../ground/domain/people.ts';
import { listMethods } from '../../../people/storage/authentication-methods.ts';
import { lockPerson } from '../../../people/storage/people.ts';
import { operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { addressCodeMs } from '../../mailed-codes.ts';
import { replaceAddressCode } from '../../storage/address-codes.ts';

const mostCodes = 5;
const windowSeconds = 600;

export const requestAddressCode = operation({
  name: 'requestAddressCode',
  summary: 'Send a code to the caller’s address; entered in this session, it shows that address and account belong together',
  kind: 'mutation',
  input: strict({}),
  output: Type.Object({ expiresAt: Timestamp }),
  access: { signedIn: 'sends a code to the caller’s own address' },
  scopes: 'none',
  verification: { exempt: 'it verifies the user' },
  limit: 'auth',
  errors: ['CONFLICT', 'RATE_LIMIT_EXCEEDED'],
  audit: 'user.address-code-requested',
  events: [],
  leaves: { ends: 'the link in the mail works once, and for hours' },
  rest: { method: 'POST', path: '/api/me/address-code' },
  graphql: { field: 'requestAddressCode', type: 'AddressCodeResult' },

  async prepare(_input, context) {
    const count = await context.deps.counters.increment(`address-code:${callerOf(context).userId}`, 1, windowSeconds);
    if (count > mostCodes) throw failures.rateLimited(windowSeconds);
  },

  async handle(_input, context) {
    const { tx, deps, now, request, audit } = context;
    const { userId, claims } = callerOf(context);
    const person = await lockPerson(tx, userId);
    if (person === undefined) throw failures.unauthenticated();
    const method = (await listMethods(tx, [userId])).find(({ provider }) => provider === emailProvider);
    if (method?.email == null) throw errors.noAddressToHold();
    if (method.isVerified && method.heldAt !== null) throw errors.addressHeld();
    const { code, hash } = deps.addressCodes.create(`${method.id} ${claims.jti}`);
    const expiresAt = new Date(now.getTime() + addressCodeMs);
    await replaceAddressCode(tx, { methodId: method.id, sessionId: claims.jti, hash }, expiresAt, now);
    const data = { token: '', url: deps.settings.frontendUrl, code, accountName: person.name };
    await deps.mailer.queue(tx, { template: 'address-code', to: method.email, language: request.language, data }, now);
    audit({ targetType: 'AuthenticationMethod', targetId: method.id });
    return { expiresAt: expiresAt.toISOString() };
  },
  complete: async (result, { deps }) => {
    deps.mailer.poke();
    return result;
  },
});
