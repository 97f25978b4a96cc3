import { annotate, strict } from '@tessera/kernel/operation';
import { listMethods } from '../../../people/storage/authentication-methods.ts';
import { operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { judgePasskey } from '../../factors/proof.ts';
import { findSigner, openSignIn, planSignIn } from '../../sign-in.ts';
import { Credential } from '../second-factors/second-factor.ts';
import { SignedIn, toSignedIn } from './signed-in.ts';

export const loginWithPasskey = operation({
  name: 'loginWithPasskey',
  summary: 'Sign in with a passkey; it counts as two factors',
  kind: 'mutation',
  input: strict({ credential: annotate(Credential, { description: 'AuthenticationResponseJSON, as the browser writes it' }) }),
  output: SignedIn,
  access: { open: 'the passkey is the proof' },
  scopes: 'none',
  verification: { exempt: 'an unverified user may sign in' },
  limit: 'auth',
  errors: ['UNAUTHENTICATED', 'SERVICE_UNAVAILABLE', 'CONNECTION_REQUIRED'],
  audit: 'session.login',
  events: [],
  leaves: { ends: 'sessions and tokens end by a sign-out, a reset, or with the person' },
  rest: { method: 'POST', path: '/api/auth/passkey' },
  graphql: { field: 'loginWithPasskey', type: 'LoginResult' },

  async prepare({ credential }, context) {
    const { deps, now, request } = context;
    const judged = await judgePasskey(credential, 'sign-in', undefined, { deps, now, language: request.language });
    if (judged === undefined) throw errors.wrongSecondFactor();
    const { passkey, amr } = judged;
    const refusal = () => errors.wrongSecondFactor({ audited: { targetType: 'User', targetId: passkey.userId } });
    const person = await findSigner(passkey.userId, context);
    const method = (await listMethods(deps.database, [passkey.userId])).find(({ isPrimary }) => isPrimary);
    if (person === undefined || method === undefined) throw refusal();
    const detail = { method: 'passkey', factorId: passkey.id, amr };
    const planned = await planSignIn({ door: 'passkey', person, proof: { methodId: method.id, amr }, detail, refusal }, context);
    // In a transaction of its own: the mail about a copied passkey is sent without a sign-in.
    const isRight = await deps.database.transaction(judged.apply);
    deps.mailer.poke();
    if (!isRight) throw refusal();
    return planned;
  },

  handle: (_input, context, planned) => openSignIn(planned, context),
  complete: toSignedIn,
});
