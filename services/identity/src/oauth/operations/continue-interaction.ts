import { failures } from '@tessera/kernel/errors';
import { annotate, Name, type OperationContext, strict } from '@tessera/kernel/operation';
import type { Transaction } from '@tessera/kernel/postgres';
import { parseScope } from '@tessera/kernel/scope';
import Type from 'typebox';
import { noteUse, resumeOwn } from '../../apps/storage/acting-apps.ts';
import { deleteArtifact, listGrantIds } from '../../apps/storage/openid-artifacts.ts';
import { addConsent, type Consent, type ConsentKey } from '../../apps/storage/project-app-consents.ts';
import { holdProjectApp } from '../../apps/storage/project-apps.ts';
import { isProjectUser } from '../../apps/voucher.ts';
import { addressOf } from '../../ground/domain/people.ts';
import type { ProjectApp } from '../../ground/domain/project-app.ts';
import type { Revocation } from '../../ground/storage/revocations.ts';
import { holdsAnAddress } from '../../people/address-owner.ts';
import { findProfile } from '../../people/storage/people.ts';
import { isFreshForProgram } from '../../sign-in/new-way-in.ts';
import { isOwnLevel, isWithinReach } from '../../sign-in/own-level.ts';
import { endGrantedSessions, endSession, type SignedInSession } from '../../sign-in/storage/sessions.ts';
import { FlowRefusal } from '../../sign-in/upstream/refusal.ts';
import type { ProtocolContext } from '../deps.ts';
import { type OauthDeps, operation } from '../deps.ts';
import { errors } from '../errors.ts';
import { decideSignUp } from '../fragment/decide-grant.ts';
import { giveSignUpRole } from '../fragment/give-sign-up-role.ts';
import { signUp } from '../fragment/sign-up.ts';
import { endGrantIn } from '../openid/adapter.ts';
import { askedDetails } from '../openid/app-claims.ts';
import { grantIdOf } from '../openid/derived-ids.ts';
import { type AskedInteraction, answerInteraction, requireInteraction } from '../openid/interactions.ts';
import {
  type Answer,
  cookieOfChoice,
  findPlaces,
  logOf,
  maySignUp,
  optionsOf,
  organizationPrompt,
  placeOf,
} from '../openid/organizations.ts';
import { InteractionId } from './get-interaction.ts';

type Context = OperationContext<OauthDeps>;

export const continueInteraction = operation({
  name: 'continueInteraction',
  summary: 'Answer what a hosted page asked: go on, consent, or refuse',
  kind: 'mutation',
  input: strict({
    id: InteractionId,
    action: Type.Enum(['continue', 'consent', 'deny']),
    scopes: Type.Optional(
      Type.Array(Type.String({ maxLength: 200 }), { maxItems: 200, description: 'consent: those allowed; all when left out' }),
    ),
    organizationId: Type.Optional(Type.String({ format: 'uuid', description: 'organization, continue: the one to sign in for' })),
    organizationName: Type.Optional(
      annotate(Name, {
        description: 'organization, continue: a new one of this name, where `canSignUp` says so; instead of organizationId',
      }),
    ),
    endGranted: Type.Optional(
      Type.Boolean({ description: 'logout, continue: end the sessions, too, that this one granted to programs and devices' }),
    ),
  }),
  output: Type.Object({ redirectTo: Type.String({ description: 'Where the page goes next, by script' }) }),
  access: { open: 'bound to the browser by a cookie; the session cookie says who answers' },
  scopes: 'none',
  verification: { exempt: 'signing in to an app is no change' },
  isolation: { unscoped: 'the app is looked up by its interaction' },
  limit: 'auth',
  errors: [
    ...(['NOT_FOUND', 'FORBIDDEN', 'UNAUTHENTICATED', 'BAD_USER_INPUT', 'SERVICE_UNAVAILABLE'] as const),
    ...(['CONFLICT', 'ADDRESS_NOT_HELD', 'RATE_LIMIT_EXCEEDED'] as const),
  ],
  audit: 'openid.interaction',
  events: [],
  leaves: { ends: 'sessions and tokens end by a sign-out, a reset, or with the person' },
  rest: { method: 'POST', path: '/api/auth/interactions/:id' },
  graphql: { none: 'REST only: for the pages, which are bound by a cookie' },

  /** The answer is judged here; what it changes is written in `handle`, with its record. */
  async prepare({ id, action, ...answered }, context): Promise<Prepared> {
    const asked = await requireInteraction(id, context);
    const [prepared, unchosen] = [await judge(asked, { action, ...answered }, context), await unchosenLogOf(asked, context)];
    return { ...prepared, ...(unchosen === undefined ? {} : { unchosen }) };
  },

  async handle({ action, endGranted = false }, { audit, tx, deps, now }, { asked, result, consented, chosen, leaves = false, unchosen }) {
    const { app, client, session, returnTo, prompt } = asked;
    const userId = session?.userId;
    if (consented !== undefined) await allow(tx, asked, consented, now);
    if (result !== undefined) await answerInteraction(asked, result, { tx, now });
    const revocations = leaves ? await leaveApp(tx, asked, { deps, now }) : [];
    const endsSession = leaves && action === 'continue' && session !== undefined && (await endSession(tx, session.userId, session.id));
    const granted = endsSession && endGranted ? await endGrantedSessions(tx, session.userId, session.id) : [];
    if (endsSession) revocations.push(...(await deps.revoker.revokeSessions(tx, [session.id, ...granted], now)));
    const { organizationId = asked.organization?.organizationId } = chosen ?? {};
    const place = organizationId === undefined ? {} : { organizationId };
    const log = organizationId === undefined ? unchosen : app && placeOf(app, organizationId);
    // Who signs in for another organization stands in its log, not in the log of the app’s owner.
    const detail = { answer: action, prompt, ...place, ...(granted.length === 0 ? {} : { grantedSessions: granted }) };
    audit({
      ...(userId === undefined ? {} : { actorId: userId }),
      ...(app === undefined
        ? { targetType: 'OpenidClient', detail: { ...detail, clientId: client.clientId } }
        : { targetType: 'ProjectApp', targetId: app.id, ...(log === undefined ? {} : { scope: parseScope(log) }), detail }),
    });
    const remembered = chosen && cookieOfChoice(asked.issuer, chosen, deps.settings.appUrl);
    return { redirectTo: returnTo, revocations, endsSession, remembered };
  },

  async complete({ redirectTo, revocations, endsSession, remembered }, { deps, response }) {
    if (remembered !== undefined) response.setCookie(remembered);
    deps.revoker.announce(revocations);
    if (endsSession) deps.sessions.clearCookie(response);
    return { redirectTo };
  },
});

type Prepared = {
  readonly asked: AskedInteraction;
  /** What the provider reads when the browser comes back. */
  readonly result?: Readonly<Record<string, unknown>>;
  readonly consented?: ConsentKey & Pick<Consent, 'scopes'>;
  /** The organization to sign in for, from now on in this browser. */
  readonly chosen?: Answer;
  readonly leaves?: boolean;
  /** The log of this step while no organization is chosen. */
  readonly unchosen?: Awaited<ReturnType<typeof logOf>>;
};

type Answered = { readonly action: string } & Partial<Pick<Answer, 'organizationId'>> & {
    readonly organizationName?: string;
    readonly scopes?: readonly string[];
  };

async function judge(asked: AskedInteraction, { action, ...answered }: Answered, context: Context): Promise<Prepared> {
  if (asked.prompt === 'logout') return { asked, leaves: true };
  if (action === 'deny') return { asked, result: { error: 'access_denied', error_description: 'the person refused' } };
  const { session } = asked;
  if (session === undefined) throw failures.unauthenticated();
  if (action === 'continue' && asked.prompt === 'organization') {
    const { organizationName, organizationId } = answered;
    if (organizationName === undefined) return chooseOrganization(asked, session, organizationId, context);
    if (organizationId !== undefined) throw failures.badInput();
    return signUpOrganization(asked, session, organizationName, context);
  }
  if (action === 'continue') return { asked, result: await signInResult(asked, session, context) };
  return consent(asked, session, answered.scopes ?? asked.scopes, context);
}

/** What the person ended before is over: they have been asked again. */
async function allow(tx: Transaction, { app, organization }: AskedInteraction, consented: NonNullable<Prepared['consented']>, now: Date) {
  if (app !== undefined) {
    // It reads what the page has named: a parallel change of claims comes after, and asks again.
    if (askedDetails(app).length > 0 && !(await holdProjectApp(tx, app))) throw failures.conflict('ProjectApp', 'claims');
    const { userId, projectAppId } = consented;
    const key = { userId, projectAppId, placeId: placeOf(app, organization?.organizationId).id };
    await resumeOwn(tx, key);
    if (!(await noteUse(tx, { ...key, isByExchange: false }, now))) throw failures.forbidden();
  }
  await addConsent(tx, consented, now);
}

/** A consent without an organization is for the project itself. */
async function unchosenLogOf({ app, session, organization, prompt }: AskedInteraction, { deps }: Context): Promise<Prepared['unchosen']> {
  if (app === undefined || organization !== undefined) return undefined;
  if (session === undefined || prompt === 'consent' || prompt === 'device') return placeOf(app, undefined);
  // A service that is down keeps no person from signing out.
  return logOf(session.userId, app, deps).catch(() => undefined);
}

/** The tokens of the app end whatever the person answers; `continue` also ends the session. */
async function leaveApp(
  tx: Transaction,
  { issuer, app, client, artifact, session }: AskedInteraction,
  context: Pick<Context, 'deps' | 'now'>,
): Promise<Revocation[]> {
  await deleteArtifact(tx, { issuer: issuer.url, model: 'Interaction', digest: artifact.digest });
  if (session === undefined) return [];
  // For each organization that the person signed in for there is a grant of its own.
  const grantIds = app === undefined ? [grantIdOf(issuer.url, session.id, client.clientId)] : await listGrantIds(tx, session.id, app.id);
  const revocations: Revocation[] = [];
  for (const grantId of grantIds) revocations.push(...(await endGrantIn(tx, issuer.url, grantId, context)));
  return revocations;
}

async function chooseOrganization(
  asked: AskedInteraction,
  { userId }: SignedInSession,
  organizationId: string | undefined,
  { deps }: Context,
): Promise<Prepared> {
  const { app } = asked;
  const places = app && (await findPlaces(userId, app, deps));
  const options = places === undefined ? [] : optionsOf(places);
  if (organizationId === undefined || !options.some((option) => option.organizationId === organizationId)) throw failures.badInput();
  return chosenFor(asked, { organizationId, userId });
}

function chosenFor(asked: AskedInteraction, chosen: Answer): Prepared {
  // What was allowed for another organization counts for nothing here.
  const { consent: _, ...before } = asked.lastSubmission;
  return { asked, chosen, result: { ...before, [organizationPrompt]: chosen } };
}

/**
 * A new organization, with the person as its Owner and a grant of the project. tenancy makes all of
 * it at once, and gives the same again when the answer is repeated.
 */
async function signUpOrganization(asked: AskedInteraction, session: SignedInSession, name: string, context: Context): Promise<Prepared> {
  const { app, askedSessionId } = asked;
  const { deps, request } = context;
  const { userId } = session;
  if (!(await isWithinReach(session, undefined, deps.database))) throw errors.freshSignIn();
  // The page has named the person, and another one may have signed in meanwhile.
  if (session.id !== askedSessionId) throw failures.notFound('Interaction');
  const [places, profile] = await Promise.all([app && findPlaces(userId, app, deps), findProfile(deps.database, userId)]);
  if (app === undefined || places === undefined || profile === undefined) throw failures.badInput();
  const isRepeated = places.customers.length > 0;
  if (!(await maySignUp(app, { ...places, canSignUp: places.canSignUp === true || isRepeated }, deps))) throw failures.forbidden();
  if (!(await holdsAnAddress(deps.database, userId))) throw failures.addressNotHeld();
  const email = addressOf(profile.methods);
  const { id: requestId, ipAddress, userAgent, language } = request;
  const person = { userId, userName: profile.name, ...(email === null ? {} : { email }) };
  const project = { tenant: app.scope.tenant, id: app.scope.id };
  const wanted = { ...person, name, appId: app.id, project, requestId, ipAddress, userAgent, language };
  // tenancy delivers the events before it answers, so that the sign-in finds its rights.
  const { organization } = await deps.tenancy.signUpOrganization(wanted, { timeoutMs: 8_000 });
  return chosenFor(asked, { organizationId: organization.organizationId, userId });
}

const clockSkewMs = 1_000;
const freshReasons = ['login_prompt', 'max_age', 'session_age', 'own_way'];
const programReason = 'opens_session';

/** A client that asks for a fresh sign-in gets one that is younger than its request. */
async function signInResult(asked: AskedInteraction, session: SignedInSession, { now, deps }: Context) {
  const { reasons, startedAt, prompt, lastSubmission } = asked;
  if (prompt !== 'sign_in') throw failures.badInput();
  const authenticatedAtMs = Date.parse(session.authenticatedAt);
  const isFresh = authenticatedAtMs >= startedAt.getTime() - clockSkewMs;
  const asksForFresh = reasons.some((reason) => freshReasons.includes(reason));
  if (asksForFresh && !(isFresh && (await isOwnLevel(session, placesOf(asked), deps.database)))) throw errors.freshSignIn();
  const { app, organization } = asked;
  const place = organization?.organizationId ?? (app === undefined ? undefined : parseScope(app.scope).organizationId);
  if (reasons.includes('own_way') && !(await isWithinReach(session, place, deps.database))) throw errors.freshSignIn();
  if (reasons.includes(programReason) && !isFreshForProgram(session, now)) throw errors.freshSignIn();
  const { userId: accountId, acr, amr } = session;
  const { [organizationPrompt]: chosen } = lastSubmission;
  const login = { accountId, acr, amr, ts: Math.floor(authenticatedAtMs / 1_000) };
  return { login, ...(chosen === undefined ? {} : { [organizationPrompt]: chosen }) };
}

/** The organizations that the app belongs to, and that the person signs in for. */
function placesOf({ app, organization }: AskedInteraction): string[] {
  const owner = app === undefined ? undefined : parseScope(app.scope).organizationId;
  return [owner, organization?.organizationId].filter((id) => id !== undefined);
}

async function consent(asked: AskedInteraction, session: SignedInSession, chosen: readonly string[], context: Context): Promise<Prepared> {
  const { prompt, scopes, app, organization, lastSubmission, askedSessionId } = asked;
  const isChoice = chosen.every((name) => scopes.includes(name)) && (!scopes.includes('openid') || chosen.includes('openid'));
  if ((prompt !== 'consent' && prompt !== 'device') || !isChoice) throw failures.badInput();
  // The app may not let in another person who has signed in meanwhile, and they must not join it.
  if (session.id !== askedSessionId) throw failures.notFound('Interaction');
  if (asked.opensSession && !isFreshForProgram(session, context.now)) throw errors.freshSignIn();
  const { userId } = session;
  if (app === undefined) return { asked, result: { ...lastSubmission, consent: {} } };
  // It is for the organization that the page named, whatever another tab chooses meanwhile.
  const answer: Answer = { organizationId: organization?.organizationId ?? app.scope.id.slice(0, app.scope.id.indexOf(':')), userId };
  const result = { ...lastSubmission, [organizationPrompt]: answer, consent: {} };
  // Joining the project is a change of its own, with its own record.
  if (organization === undefined) await becomeProjectUser(app, session, context);
  const consented = { userId, projectAppId: app.id, organizationId: organization?.organizationId ?? null, scopes: chosen };
  return { asked, result, consented };
}

/** As in the fragment flow: people of the project get the role that they lack, others join. */
async function becomeProjectUser(app: ProjectApp, { userId }: SignedInSession, context: Context): Promise<void> {
  const protocol = protocolContextOf(app.scope, context);
  try {
    if (await isProjectUser(userId, app.scope, context.deps)) {
      await giveSignUpRole(userId, app, protocol);
      return;
    }
    await decideSignUp(app, protocol);
    const profile = await findProfile(context.deps.database, userId);
    const email = addressOf(profile?.methods ?? []);
    const known = { userId, methodId: '', how: 'known' } as const;
    await signUp(
      known,
      { provider: 'email', providerId: email ?? userId, name: profile?.name ?? null, email, isEmailVerified: false },
      app,
      protocol,
    );
  } catch (error) {
    if (error instanceof FlowRefusal) throw failures.forbidden({ cause: error });
    throw error;
  }
}

function protocolContextOf(scope: ProjectApp['scope'], { deps, request, response, now }: Context): ProtocolContext {
  const cameFrom = { fetchSite: undefined, referer: undefined };
  return { deps, now, request, response, query: new URLSearchParams(), scope: parseScope(scope), cameFrom };
}
