import { type OperationContext, strict } from '@tessera/kernel/operation';
import Type, { type Static } from 'typebox';
import { isBoundBrowser } from '../../../ground/browser-binding.ts';
import { connectionOfProvider } from '../../../ground/domain/connection.ts';
import { digest } from '../../../ground/tokens/digest.ts';
import { OneTimeToken } from '../../../people/operations/entities.ts';
import { findProfile } from '../../../people/storage/people.ts';
import { browserSession } from '../../browser-session.ts';
import { operation, type SignInDeps } from '../../deps.ts';
import { errors } from '../../errors.ts';
import type { SignInCode } from '../../flow.ts';
import { amrOfProvider } from '../../provider-proof.ts';
import { findSigner, openSignIn, planSignIn } from '../../sign-in.ts';
import { ContinueAs, SignedIn, toSignedIn } from './signed-in.ts';

export const exchangeCode = operation({
  name: 'exchangeCode',
  summary: 'Exchange the one-time code of a sign-in by provider for a session',
  kind: 'mutation',
  input: strict({
    code: OneTimeToken,
    codeVerifier: Type.Optional(
      Type.String({ minLength: 43, maxLength: 128, secret: true, description: 'For a flow that began with a codeChallenge' }),
    ),
    isConfirmed: Type.Optional(Type.Boolean({ description: 'With the code of `continueAs`: the person was asked, and goes on' })),
  }),
  output: Type.Object({
    ...Type.Omit(SignedIn, ['requiresEmailVerification']).properties,
    continueAs: Type.Optional(ContinueAs),
  }),
  access: { open: 'the one-time code is the proof' },
  scopes: 'none',
  verification: { exempt: 'an unverified user may sign in' },
  limit: 'auth',
  errors: ['BAD_USER_INPUT', 'SERVICE_UNAVAILABLE', 'CONNECTION_REQUIRED'],
  audit: 'session.login',
  events: [],
  leaves: { ends: 'sessions and tokens end by a sign-out, a reset, or with the person' },
  rest: { method: 'POST', path: '/api/auth/cli-callback' },
  graphql: { none: 'REST only (specification): the end of a redirect' },
  clauses: ['spec:auth.6'],

  async prepare({ code, codeVerifier = '', isConfirmed = false }, context) {
    const known = await context.deps.codes.take(code);
    if (known === undefined || known.confirms !== undefined) throw errors.invalidOneTimeToken();
    if (!isOfBeginner(known, codeVerifier, context)) throw errors.invalidOneTimeToken();
    // A code of the version before says nothing.
    const { userId, methodId, provider, acr, upstream, authenticatedAtMs = context.now.getTime() } = known;
    const person = await findSigner(userId, context);
    if (person === undefined) throw errors.invalidOneTimeToken();
    const continueAs = await questionOf(known, isConfirmed, context);
    if (continueAs !== undefined) return { userId, continueAs };
    const detail = { provider, authenticationMethodId: methodId };
    return planSignIn(
      {
        door: 'provider',
        person,
        proof: {
          methodId,
          connectionId: connectionOfProvider(provider) ?? null,
          upstream,
          amr: await amrOfProvider({ provider, methodId, acr }, await context.deps.methodsOf(userId), context.deps.database),
          authenticatedAt: new Date(authenticatedAtMs),
        },
        detail,
        refusal: errors.invalidOneTimeToken,
      },
      context,
    );
  },

  async handle(_input, context, planned) {
    if (!('continueAs' in planned)) return openSignIn(planned, context);
    const { userId, continueAs } = planned;
    context.audit({ action: 'session.question-asked', actorId: userId, targetType: 'User', targetId: userId });
    return { continueAs };
  },

  complete: async (result, context) => ('continueAs' in result ? result : toSignedIn(result, context)),
});

/**
 * An organization's provider may sign its visitor in to another account without a click. So the
 * person says that they want it, where a link of another site may have begun this, and where it
 * would replace the session of another person.
 */
async function questionOf(
  known: SignInCode,
  isConfirmed: boolean,
  context: OperationContext<SignInDeps>,
): Promise<Static<typeof ContinueAs> | undefined> {
  const { asks, landing, provider, userId } = known;
  if (asks === undefined || landing !== 'frontend' || (isConfirmed && asks.isShown === true)) return undefined;
  const current = await browserSession(context);
  if (current?.userId === userId || (current === undefined && !asks.isForeign)) return undefined;
  const code = await context.deps.codes.remember({ ...known, asks: { ...asks, isShown: true } });
  const { name = '', methods = [] } = (await findProfile(context.deps.database, userId)) ?? {};
  const email = methods.find((method) => method.provider === provider)?.email ?? null;
  return { code, name, email, connection: asks.connection };
}

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
