import { isUniqueViolation } from '@tessera/kernel/errors';
import { newId } from '@tessera/kernel/ids';
import { strict, Timestamp } from '@tessera/kernel/operation';
import Type from 'typebox';
import { nameFromAddress } from '../../../ground/domain/address.ts';
import { emailProvider } from '../../../ground/domain/people.ts';
import { claimForNew } from '../../../people/address-owner.ts';
import { readAddress } from '../../../people/operations/addresses.ts';
import { Account, AccountType, Address, PasswordCredentials, PersonName, sessionTokens } from '../../../people/operations/entities.ts';
import { assertPasswordAllowed } from '../../../people/password.ts';
import { insertMethod } from '../../../people/storage/authentication-methods.ts';
import { insertPerson } from '../../../people/storage/people.ts';
import { operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { answerSignIn, openSignIn, planSignIn, sessionOf } from '../../sign-in.ts';
import { appOfLink, findAppOfLink } from './app-of-link.ts';

export const register = operation({
  name: 'register',
  summary: 'Register with an email address and a password; makes an account and a session',
  kind: 'mutation',
  input: strict({
    name: Type.Optional(PersonName),
    type: Type.Optional(AccountType),
    provider: Type.Enum([emailProvider], { graphqlType: 'String' }),
    providerId: Address,
    providerData: PasswordCredentials,
    ...appOfLink,
  }),
  output: Type.Object({
    account: Account,
    ...sessionTokens,
    requiresEmailVerification: Type.Boolean(),
    verificationExpiry: Timestamp,
  }),
  access: { open: 'the caller has no account yet' },
  scopes: 'none',
  verification: { exempt: 'the caller is not signed in' },
  limit: 'auth',
  errors: ['CONFLICT', 'SERVICE_UNAVAILABLE', 'SIGN_IN_BUSY'],
  audit: 'user.registered',
  events: ['user.registered'],
  leaves: { ends: 'sessions and tokens end by a sign-out, a reset, or with the person' },
  rest: { method: 'POST', path: '/api/auth/register', status: 201 },
  graphql: { field: 'register', type: 'RegisterResult' },
  clauses: ['spec:auth.2', 'spec:methods.6', 'spec:session-states.1'],

  async prepare(input, { deps, request, now }) {
    const address = readAddress(input.providerId, 'providerId');
    await assertPasswordAllowed(input.providerData.password, 'providerData.password', deps);
    const [userId, methodId] = [newId(), newId()];
    const attempt = {
      door: 'registration',
      person: { userId, methods: [{ isVerified: false }], accounts: [], factors: [], deviceSessionId: null },
      proof: { methodId, amr: ['pwd'] },
      detail: {},
      refusal: () => new Error('a new person has no method'),
    } as const;
    const [passwordHash, planned] = await Promise.all([
      deps.hasher.hash(input.providerData.password),
      planSignIn(attempt, { deps, request, now }),
    ]);
    return { userId, methodId, address, passwordHash, planned };
  },

  async handle(input, context, { userId, methodId, address, passwordHash, planned }) {
    const { tx, deps, now, request, emit, audit } = context;
    const name = input.name ?? nameFromAddress(address);
    const account = { id: newId(), type: input.type ?? 'personal' };
    const method = { id: methodId, userId, provider: emailProvider, providerId: address, email: address };
    await insertPerson(tx, { id: userId, name, metadata: {}, createdBy: null, home: null, account }, now);
    const taken = () => errors.addressTaken({ extensions: { resource: 'AuthenticationMethod', field: 'providerId' } });
    if (!(await claimForNew(tx, [address], now)).has(address)) throw taken();
    await insertMethod(tx, { ...method, isVerified: false, isPrimary: true, passwordHash, lastUsedAt: now }, now).catch(
      (error: unknown) => {
        throw isUniqueViolation(error, 'authentication_methods_identity') ? taken() : error;
      },
    );
    const session = sessionOf(await openSignIn(planned, context));
    const app = await findAppOfLink(tx, input);
    await deps.mailer.queueLink(tx, 'verify-email', { to: address, language: request.language, app }, now);
    emit({ type: 'user.registered', key: userId, payload: { userId, name, email: address, isVerified: false, account } });
    audit({
      actorId: userId,
      targetType: 'User',
      targetId: userId,
      detail: { sessionId: session.opened.sessionId, provider: emailProvider },
    });
    return { userId, account, session };
  },

  async complete({ userId, account, session }, context) {
    const { deps, now } = context;
    deps.mailer.poke();
    const tokens = await answerSignIn(session, context);
    const at = now.toISOString();
    return {
      ...tokens,
      account: { ...account, ownerId: userId, createdAt: at, updatedAt: at, deletedAt: null },
      requiresEmailVerification: true,
      verificationExpiry: new Date(now.getTime() + deps.settings.verificationMs).toISOString(),
    };
  },
});
