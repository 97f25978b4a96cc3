import { strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { proveSecondFactor } from '../../second-factors/proof.ts';
import { continueForApp } from '../../sign-in/app-second-factor.ts';
import { findSigner, openPlanned, planSignIn } from '../../sign-in/sign-in.ts';
import { findPasswordHash } from '../../storage/authentication-methods.ts';
import { type DeferredSignIn, findDeferredSignIn } from '../../storage/deferred-sign-ins.ts';
import type { Reader } from '../../storage/reader.ts';
import { confirmedIds } from '../../storage/second-factors.ts';
import { hashToken } from '../../tokens/opaque-token.ts';
import { OneTimeToken } from '../entities.ts';
import { Code, Credential } from '../second-factors/second-factor.ts';
import { answerSignIn, SignedIn } from './signed-in.ts';

export const completeSecondFactor = operation({
  name: 'completeSecondFactor',
  summary: 'End a sign-in with its second factor',
  kind: 'mutation',
  input: strict({
    token: OneTimeToken,
    method: Type.Enum(['totp', 'passkey', 'recoveryCode']),
    code: Type.Optional(Code),
    credential: Type.Optional(Credential),
  }),
  output: Type.Object({
    ...SignedIn.properties,
    redirectTo: Type.Optional(Type.String({ description: 'Where a sign-in to an app goes on, instead of tokens' })),
  }),
  access: { open: 'the token proves the first factor' },
  scopes: 'none',
  verification: { exempt: 'an unverified user may sign in' },
  errors: ['BAD_USER_INPUT', 'UNAUTHENTICATED', 'RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'],
  audit: 'session.login',
  events: [],
  rest: { method: 'POST', path: '/api/auth/second-factor' },
  graphql: { field: 'completeSecondFactor' },

  async prepare({ token, ...given }, context) {
    const { deps, now, request } = context;
    const hash = hashToken(token);
    const first = await findDeferredSignIn(deps.database, hash, now);
    if (first === undefined) throw errors.endedSignIn();
    const { userId } = first;
    const before = await stateOf(first, deps.database);
    const asked = { userId, purpose: 'second-factor', deferred: hash } as const;
    const [proven, signer] = await Promise.all([
      proveSecondFactor(given, asked, { deps, now, language: request.language }),
      first.flow === null ? findSigner(userId, context) : undefined,
    ]);
    const amr = [...new Set([...first.amr, ...proven])];
    if (first.flow !== null) return { first, before, amr, redirectTo: await continueForApp(first.flow, deps) };
    const planned = await planSignIn(userId, amr, context, signer);
    if (planned === undefined) throw errors.endedSignIn();
    return { first, before, amr, planned };
  },

  async handle({ method }, context, { first: { userId, methodId }, before, amr, planned, redirectTo }) {
    const { tx, audit } = context;
    if (planned === undefined) {
      audit({ action: 'project-oauth.second-factor', actorId: userId, targetType: 'User', targetId: userId, detail: { method } });
      return { redirectTo };
    }
    const opened = await openPlanned(tx, planned, { id: methodId, ...before.password }, context);
    const factorIds = await confirmedIds(tx, userId);
    if (opened === undefined || before.factorIds.some((id) => !factorIds.includes(id))) throw errors.endedSignIn();
    const detail = { method, amr, authenticationMethodId: methodId };
    audit({ actorId: userId, targetType: 'UserSession', targetId: opened.sessionId, detail });
    return { ...planned, opened };
  },

  async complete(result, context) {
    return 'opened' in result ? answerSignIn(result, context) : { redirectTo: result.redirectTo ?? '' };
  },
});

/**
 * What must stay until the session is there. Read before the proof, which refuses a sign-in that an
 * earlier change has ended.
 */
async function stateOf({ userId, methodId }: DeferredSignIn, reader: Reader) {
  const [known, factorIds] = await Promise.all([findPasswordHash(reader, userId), confirmedIds(reader, userId)]);
  const passwordHash = known?.id === methodId ? known.passwordHash : null;
  return { factorIds, password: passwordHash === null ? {} : { passwordHash } };
}
