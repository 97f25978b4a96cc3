import { type OperationContext, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { isBoundBrowser } from '../../../ground/browser-binding.ts';
import { digest } from '../../../ground/tokens/digest.ts';
import { OneTimeToken } from '../../../people/operations/entities.ts';
import { operation, type SignInDeps } from '../../deps.ts';
import { errors } from '../../errors.ts';
import type { SignInCode } from '../../flow.ts';
import { findSigner, openSignIn, planSignIn } from '../../sign-in.ts';
import { SignedIn, toSignedIn } from './signed-in.ts';

export const exchangeCode = operation({
  name: 'exchangeCode',
  summary: 'Exchange the one-time code of a sign-in by provider for a session',
  kind: 'mutation',
  input: strict({
    code: OneTimeToken,
    codeVerifier: Type.Optional(
      Type.String({ minLength: 43, maxLength: 128, secret: true, description: 'For a flow that began with a codeChallenge' }),
    ),
  }),
  output: Type.Omit(SignedIn, ['requiresEmailVerification']),
  access: { open: 'the one-time code is the proof' },
  scopes: 'none',
  verification: { exempt: 'an unverified user may sign in' },
  limit: 'auth',
  errors: ['BAD_USER_INPUT', 'SERVICE_UNAVAILABLE'],
  audit: 'session.login',
  events: [],
  leaves: { ends: 'sessions and tokens end by a sign-out, a reset, or with the person' },
  rest: { method: 'POST', path: '/api/auth/cli-callback' },
  graphql: { none: 'REST only (specification): the end of a redirect' },
  clauses: ['spec:auth.6'],

  async prepare({ code, codeVerifier = '' }, context) {
    const known = await context.deps.codes.take(code);
    if (known === undefined || known.confirms !== undefined) throw errors.invalidOneTimeToken();
    if (!isOfBeginner(known, codeVerifier, context)) throw errors.invalidOneTimeToken();
    // A code of the version before says nothing.
    const { userId, methodId, provider, authenticatedAtMs = context.now.getTime() } = known;
    const person = await findSigner(userId, context);
    if (person === undefined) throw errors.invalidOneTimeToken();
    const detail = { provider, authenticationMethodId: methodId };
    return planSignIn(
      {
        door: 'provider',
        person,
        proof: { methodId, amr: ['fed'], authenticatedAt: new Date(authenticatedAtMs) },
        detail,
        refusal: errors.invalidOneTimeToken,
      },
      context,
    );
  },

  handle: (_input, context, planned) => openSignIn(planned, context),
  complete: toSignedIn,
});

/**
 * A code of the frontend works only in the browser that began the flow, so that a link cannot sign
 * a person in as another one. A command line has no cookies: it shows the verifier of its
 * challenge.
 */
function isOfBeginner(
  { landing, browser, codeChallenge }: SignInCode,
  codeVerifier: string,
  { deps, request }: Pick<OperationContext<SignInDeps>, 'deps' | 'request'>,
): boolean {
  if (landing === 'frontend' && !isBoundBrowser(request, browser, deps.settings.appUrl)) return false;
  if (codeChallenge === undefined) return landing === 'frontend';
  // digest is RFC 7636's S256: base64url of the SHA-256.
  return digest(codeVerifier) === codeChallenge;
}
