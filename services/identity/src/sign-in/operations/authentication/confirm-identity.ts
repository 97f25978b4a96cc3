import { failures } from '@tessera/kernel/errors';
import { callerOf, type OperationContext, strict } from '@tessera/kernel/operation';
import { isTokenScope } from '@tessera/kernel/scope';
import Type from 'typebox';
import type { Amr } from '../../../ground/domain/session.ts';
import { OneTimeToken, Password, sessionTokens } from '../../../people/operations/entities.ts';
import { findPasswordHash } from '../../../people/storage/authentication-methods.ts';
import { isSecondFactorDue } from '../../deferred.ts';
import { operation, type SignInDeps } from '../../deps.ts';
import { noteBreakGlass } from '../../enforcement.ts';
import { errors } from '../../errors.ts';
import { assertRight, proveSecondFactor } from '../../factors/proof.ts';
import { provePassword } from '../../prove-password.ts';
import { amrOfProvider } from '../../provider-proof.ts';
import { confirmedKinds } from '../../storage/second-factors.ts';
import { renewProof } from '../../storage/sessions.ts';
import { Credential } from '../second-factors/second-factor.ts';

type Context = OperationContext<SignInDeps>;

async function proveByPassword(password: string, context: Context): Promise<readonly Amr[]> {
  const { deps } = context;
  const { userId } = callerOf(context);
  const known = await findPasswordHash(deps.database, userId);
  if (known?.passwordHash == null) throw errors.noPassword();
  assertRight(await provePassword(password, known, context), userId);
  return ['pwd'];
}

async function proveAtProvider(code: string, context: Context): Promise<readonly Amr[]> {
  const { userId, claims } = callerOf(context);
  const known = await context.deps.codes.take(code);
  if (known === undefined || known.userId !== userId || known.confirms !== claims.jti) throw errors.invalidOneTimeToken();
  return amrOfProvider(known, await context.deps.methodsOf(userId), context.deps.database);
}

export const confirmIdentity = operation({
  name: 'confirmIdentity',
  summary: 'Prove that it is still you, or raise the level of the session; the session stays',
  kind: 'mutation',
  input: strict({
    method: Type.Enum(['password', 'totp', 'passkey', 'recoveryCode', 'provider']),
    password: Type.Optional(Password),
    code: Type.Optional(OneTimeToken),
    credential: Type.Optional(Credential),
  }),
  output: Type.Object({ accessToken: sessionTokens.accessToken }),
  access: { signedIn: 'proves the caller', whenLinked: true },
  scopes: 'none',
  verification: { exempt: 'an unverified user may prove to be themselves' },
  limit: 'auth',
  errors: ['UNAUTHENTICATED', 'CONFLICT', 'SECOND_FACTOR_REQUIRED', 'RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE', 'SIGN_IN_BUSY'],
  audit: 'session.confirmed',
  events: [],
  leaves: { ends: 'sessions and tokens end by a sign-out, a reset, or with the person' },
  rest: { method: 'POST', path: '/api/auth/confirm' },
  graphql: { field: 'confirmIdentity', type: 'AccessTokenResult' },

  async prepare({ method, password = '', ...given }, context) {
    const { deps, now, request } = context;
    const { userId } = callerOf(context);
    if (method === 'totp' || method === 'passkey' || method === 'recoveryCode')
      return proveSecondFactor({ ...given, method }, { userId, purpose: 'confirm' }, { deps, now, language: request.language });
    // One factor alone does not confirm a person who has two.
    if (isSecondFactorDue(await confirmedKinds(deps.database, userId))) throw failures.secondFactorRequired();
    return method === 'password' ? proveByPassword(password, context) : proveAtProvider(given.code ?? '', context);
  },

  async handle({ method }, context, amr) {
    const { tx, now, request, audit } = context;
    const { userId, claims } = callerOf(context);
    const proof = await renewProof(tx, userId, claims.jti, amr, now);
    if (proof === undefined) throw failures.unauthenticated();
    await noteBreakGlass(tx, { userId, amr: proof.amr, connectionId: claims.connection ?? null, now, request });
    audit({ targetType: 'UserSession', targetId: claims.jti, detail: { method } });
    return proof;
  },

  async complete(proof, context) {
    const { deps } = context;
    const { userId, claims } = callerOf(context);
    const holder = {
      userId,
      methods: await deps.methodsOf(userId),
      scope: claims.scope !== undefined && isTokenScope(claims.scope) ? claims.scope : null,
      proof,
      connectionId: claims.connection ?? null,
    };
    return { accessToken: await deps.sessions.signAccessToken(claims.jti, holder) };
  },
});
