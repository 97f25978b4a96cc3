import { strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import type { Reader } from '../../../ground/storage/reader.ts';
import { hashToken } from '../../../ground/tokens/opaque-token.ts';
import { OneTimeToken } from '../../../people/operations/entities.ts';
import { findPasswordHash } from '../../../people/storage/authentication-methods.ts';
import { continueForApp } from '../../app-second-factor.ts';
import { operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { proveSecondFactor } from '../../factors/proof.ts';
import { findSigner, openSignIn, planSignIn } from '../../sign-in.ts';
import { findLink } from '../../storage/connections.ts';
import { type DeferredSignIn, findDeferredSignIn } from '../../storage/deferred-sign-ins.ts';
import { confirmedIds } from '../../storage/second-factors.ts';
import { Code, Credential } from '../second-factors/second-factor.ts';
import { SignedIn, toSignedIn } from './signed-in.ts';

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
  limit: 'auth',
  errors: ['BAD_USER_INPUT', 'UNAUTHENTICATED', 'RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE', 'CONNECTION_REQUIRED'],
  audit: 'session.login',
  events: [],
  leaves: { ends: 'sessions and tokens end by a sign-out, a reset, or with the person' },
  rest: { method: 'POST', path: '/api/auth/second-factor' },
  graphql: { field: 'completeSecondFactor', type: 'CompleteSecondFactorResult' },

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
    if (first.flow !== null) return { userId, before, redirectTo: await continueForApp(first.flow, deps) };
    if (signer === undefined) throw errors.endedSignIn();
    const { methodId, upstream } = first;
    const connectionId = (await findLink(deps.database, methodId))?.connectionId ?? null;
    const attempt = {
      door: 'second-factor',
      person: signer,
      proof: { methodId, amr, connectionId, upstream, passwordHash: before.passwordHash },
      detail: { method: given.method, amr, authenticationMethodId: methodId },
      refusal: errors.endedSignIn,
    } as const;
    return { userId, before, planned: await planSignIn(attempt, context) };
  },

  async handle({ method }, context, { userId, before, planned, redirectTo }) {
    const { tx, audit } = context;
    if (planned === undefined) {
      audit({ action: 'project-oauth.second-factor', actorId: userId, targetType: 'User', targetId: userId, detail: { method } });
      return { redirectTo };
    }
    const result = await openSignIn(planned, context);
    const factorIds = await confirmedIds(tx, userId);
    if (before.factorIds.some((id) => !factorIds.includes(id))) throw errors.endedSignIn();
    return result;
  },

  async complete(result, context) {
    return 'redirectTo' in result ? { redirectTo: result.redirectTo ?? '' } : toSignedIn(result, context);
  },
});

/**
 * What must stay until the session is there. Read before the proof, which refuses a sign-in that an
 * earlier change has ended.
 */
async function stateOf({ userId, methodId }: DeferredSignIn, reader: Reader) {
  const [known, factorIds] = await Promise.all([findPasswordHash(reader, userId), confirmedIds(reader, userId)]);
  return { factorIds, passwordHash: known?.id === methodId ? known.passwordHash : null };
}
