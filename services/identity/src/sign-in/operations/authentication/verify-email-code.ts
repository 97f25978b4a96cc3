import { failures } from '@tessera/kernel/errors';
import { type OperationContext, strict } from '@tessera/kernel/operation';
import type { Transaction } from '@tessera/kernel/postgres';
import { emailProvider } from '../../../ground/domain/people.ts';
import type { Reader } from '../../../ground/storage/reader.ts';
import { findAccountOf, proveAddress } from '../../../people/address-owner.ts';
import { holdsAddress } from '../../../people/domain/proven-address.ts';
import { readAddress } from '../../../people/operations/addresses.ts';
import { Address } from '../../../people/operations/entities.ts';
import { userUpdated } from '../../../people/person-event.ts';
import { listMethods } from '../../../people/storage/authentication-methods.ts';
import { forgetOneTimeTokens } from '../../../people/storage/one-time-tokens.ts';
import { lockPerson } from '../../../people/storage/people.ts';
import { operation, type SignInDeps } from '../../deps.ts';
import { placeOf, tryEmailCode } from '../../email-code.ts';
import { errors } from '../../errors.ts';
import { findCaller } from '../../own-session.ts';
import { endEarlierAccess } from '../../reclaim.ts';
import { findSigner, openSignIn, planSignIn } from '../../sign-in.ts';
import { useEmailCode } from '../../storage/email-codes.ts';
import { Code } from '../second-factors/second-factor.ts';
import { SignedIn, toSignedIn } from './signed-in.ts';

export const verifyEmailCode = operation({
  name: 'verifyEmailCode',
  summary: 'Sign in with the code from the mail; in an account that does not hold its address, all that was made before ends first',
  kind: 'mutation',
  input: strict({ email: Address, code: Code }),
  output: SignedIn,
  access: { optional: 'the code from the mail is the proof; typed in the account’s own session, it ends nothing' },
  scopes: 'none',
  verification: { exempt: 'it verifies the user' },
  limit: 'auth',
  errors: [
    'BAD_USER_INPUT',
    'UNAUTHENTICATED',
    'FORBIDDEN',
    'CONFLICT',
    'RATE_LIMIT_EXCEEDED',
    'SERVICE_UNAVAILABLE',
    'CONNECTION_REQUIRED',
  ],
  audit: 'session.login',
  events: ['user.updated', 'user.reclaimed'],
  leaves: { ends: 'sessions and tokens end by a sign-out, a reset, or with the person' },
  rest: { method: 'POST', path: '/api/auth/email-code/verify' },
  graphql: { field: 'verifyEmailCode', type: 'LoginResult' },

  async prepare({ email, code }, context) {
    const { deps } = context;
    if (!deps.settings.hasEmailCodes) throw errors.noEmailCodes();
    const address = readAddress(email, 'email');
    const place = placeOf(address, context);
    const tried = await tryEmailCode(code, place, context);
    if (tried.kind === 'ended') throw errors.endedEmailCode();
    if (tried.kind === 'too-many') throw failures.rateLimited(tried.retryAfterSeconds);
    if (tried.kind === 'wrong')
      throw errors.wrongEmailCode(tried.userId === null ? {} : { audited: { targetType: 'User', targetId: tried.userId } });
    const { hash, userId } = tried;
    const way = await wayOf(deps.database, address, userId);
    const planned = way && (await plan({ userId, ...way }, context));
    if (way === undefined || planned === undefined) throw errors.endedEmailCode();
    return { address, place: { ...place, hash }, userId, way, planned };
  },

  async handle(_input, context, { address, place, userId, way, planned: { signIn, isOwn } }) {
    const { tx, deps, now, emit } = context;
    if (!(await useEmailCode(tx, place, now)) || (await lockPerson(tx, userId)) === undefined) throw errors.endedEmailCode();
    const current = await wayOf(tx, address, userId);
    if (current?.method.id !== way.method.id || current.isHeld !== way.isHeld) throw errors.endedEmailCode();
    // The maker of an account that does not hold its address may have been a stranger.
    const reclaimed = way.isHeld || isOwn ? undefined : await endEarlierAccess({ tx, now, emit }, userId, deps);
    if (way.method.provider === emailProvider && (await proveAddress(tx, way.method, { isHeld: true }, now))) {
      await forgetOneTimeTokens(tx, way.method.id, 'verify-email');
      emit(await userUpdated(tx, userId));
    }
    const result = await openSignIn({ ...signIn, detail: { ...signIn.detail, ...reclaimed?.ended } }, context);
    return { result, revocations: reclaimed?.revocations ?? [] };
  },

  async complete({ result, revocations }, context) {
    context.deps.revoker.announce(revocations);
    return toSignedIn(result, context);
  },
});

/** The way to sign in that an address proves, in the account that it leads to. */
async function wayOf(reader: Reader | Transaction, address: string, userId: string) {
  const account = await findAccountOf(reader, address);
  if (account === 'free' || account === 'disputed' || account.userId !== userId) return undefined;
  const methods = await listMethods(reader, [userId]);
  const leading = methods.filter(({ email }) => email === address);
  const method = leading.find(({ provider }) => provider === emailProvider) ?? leading.find(({ isVerified }) => isVerified);
  return method && { method, isHeld: holdsAddress(methods) };
}

type Way = NonNullable<Awaited<ReturnType<typeof wayOf>>>;

/** Undefined for a person who is gone. */
async function plan({ userId, method, isHeld }: Way & { readonly userId: string }, context: OperationContext<SignInDeps>) {
  const [signer, caller] = await Promise.all([findSigner(userId, context), findCaller(context)]);
  if (signer === undefined) return undefined;
  const isOwn = caller === userId;
  // What was made before is gone by then. The code proves the address.
  const person = { ...signer, methods: [{ isVerified: true }], ...(isHeld || isOwn ? {} : { factors: [], deviceSessionId: null }) };
  const signIn = await planSignIn(
    {
      door: 'email-code',
      person,
      proof: { methodId: method.id, amr: ['otp'] },
      detail: { method: 'emailCode', authenticationMethodId: method.id },
      refusal: errors.endedEmailCode,
    },
    context,
  );
  return { signIn, isOwn };
}
