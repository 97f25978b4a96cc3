import { failures, isUniqueViolation } from '@tessera/kernel/errors';
import { newId } from '@tessera/kernel/ids';
import { callerOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { emailProvider } from '../../../ground/domain/people.ts';
import { isProvenByOther } from '../../../people/address-owner.ts';
import { notifyOwner } from '../../../people/notify-owner.ts';
import { readAddress } from '../../../people/operations/addresses.ts';
import { Address, AuthenticationMethod, PasswordCredentials, toMethod } from '../../../people/operations/entities.ts';
import { assertPasswordAllowed } from '../../../people/password.ts';
import { insertMethod, listMethods } from '../../../people/storage/authentication-methods.ts';
import { lockPerson } from '../../../people/storage/people.ts';
import { operation } from '../../deps.ts';
import { errors } from '../../errors.ts';

function assertHasNone(methods: readonly { readonly provider: string }[]): void {
  if (methods.some(({ provider }) => provider === emailProvider))
    throw errors.methodOfKindExists({ extensions: { resource: 'AuthenticationMethod', field: 'provider' } });
}

export const createMyAuthenticationMethod = operation({
  name: 'createMyAuthenticationMethod',
  summary: 'Add an email address with a password as a way to sign in',
  kind: 'mutation',
  input: strict({
    provider: Type.Enum([emailProvider], { graphqlType: 'String' }),
    providerId: Address,
    providerData: PasswordCredentials,
  }),
  output: AuthenticationMethod,
  access: { signedIn: 'adds a method of the caller' },
  scopes: 'none',
  verification: 'account-settings',
  freshness: { minutes: 10 },
  limit: 'auth',
  errors: ['CONFLICT', 'SERVICE_UNAVAILABLE', 'SIGN_IN_BUSY'],
  audit: 'authentication-method.created',
  events: [],
  leaves: { ends: 'a way to sign in ends when it is removed, or with the person' },
  rest: { method: 'POST', path: '/api/me/authentication-methods', status: 201 },
  graphql: { field: 'createMyUserAuthenticationMethod', type: 'AuthenticationMethod' },
  clauses: ['spec:methods.9', 'spec:methods.10'],

  async prepare({ providerId, providerData }, context) {
    const { deps } = context;
    // Before anything else: an account that has an address must not learn whether another one is
    // registered, nor cause a hash.
    assertHasNone(await listMethods(deps.database, [callerOf(context).userId]));
    const address = readAddress(providerId, 'providerId');
    await assertPasswordAllowed(providerData.password, 'providerData.password', deps);
    return { address, passwordHash: await deps.hasher.hash(providerData.password) };
  },

  async handle(_input, context, { address, passwordHash }) {
    const { tx, deps, now, request, audit } = context;
    const { userId } = callerOf(context);
    if ((await lockPerson(tx, userId)) === undefined) throw failures.unauthenticated();
    const before = await listMethods(tx, [userId]);
    assertHasNone(before);
    const method = { id: newId(), userId, provider: emailProvider, providerId: address, email: address, passwordHash };
    const taken = () => errors.methodTaken({ extensions: { resource: 'AuthenticationMethod', field: 'providerId' } });
    if (await isProvenByOther(tx, address, userId)) throw taken();
    const made = await insertMethod(tx, { ...method, isVerified: false, isPrimary: false, lastUsedAt: null }, now).catch(
      (error: unknown) => {
        throw isUniqueViolation(error) ? taken() : error;
      },
    );
    await deps.mailer.queueLink(tx, 'verify-email', { to: address, language: request.language }, now);
    const { language } = request;
    await notifyOwner(tx, { template: 'method-added', provider: emailProvider, before, language }, deps, now);
    audit({ targetType: 'AuthenticationMethod', targetId: made.id, detail: { provider: emailProvider } });
    return made;
  },

  async complete(made, { deps }) {
    deps.mailer.poke();
    return toMethod(made);
  },
});
