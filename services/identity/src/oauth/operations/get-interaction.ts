import { strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { isLoopback } from '../../apps/domain/redirect-uri.ts';
import { PublicBranding, toPublic } from '../../apps/operations/branding/branding.ts';
import { findDocument } from '../../apps/storage/client-documents.ts';
import { isProjectUser } from '../../apps/voucher.ts';
import { addressOf, emailProvider } from '../../ground/domain/people.ts';
import { allowedProviders, type ProjectApp } from '../../ground/domain/project-app.ts';
import { namesOfScopes, wordsOfActions } from '../../ground/peers/names.ts';
import { findProfile } from '../../people/storage/people.ts';
import { demandsOf } from '../../sign-in/demands.ts';
import { requiredConnection } from '../../sign-in/enforcement.ts';
import { countGrantedSessions } from '../../sign-in/storage/sessions.ts';
import { type OauthDeps, operation } from '../deps.ts';
import { askedDetails } from '../openid/app-claims.ts';
import { hintedConnection } from '../openid/connection-hint.ts';
import { type AskedInteraction, requireInteraction } from '../openid/interactions.ts';
import { findPlaces, maySignUp, type Organization as NamedOrganization, optionsOf } from '../openid/organizations.ts';

export const InteractionId = Type.String({ minLength: 1, maxLength: 100, description: 'From the address of the page' });
const Prompt = Type.Enum(['sign_in', 'organization', 'consent', 'device', 'logout']);
const Organization = Type.Object({ id: Type.String(), name: Type.String(), slug: Type.String() });

export const interactionFields = {
  branding: PublicBranding,
  prompt: Prompt,
  reasons: Type.Array(Type.String(), {
    description:
      'Why; `login_prompt`, `max_age`, `session_age`, `own_way`, `opens_session`: a fresh sign-in, `second_factor`, `way_to_sign_in`, `connection`, `connection_asked`',
  }),
  app: Type.Object({
    id: Type.Union([Type.String(), Type.Null()], { description: 'Null for a client of the platform' }),
    clientId: Type.String(),
    name: Type.String(),
    project: Type.Union([Type.String(), Type.Null()]),
    organization: Type.Union([Type.String(), Type.Null()]),
    logoUrl: Type.Union([Type.String(), Type.Null()]),
    document: Type.Union(
      [
        Type.Object({
          url: Type.String(),
          domain: Type.String(),
          ownName: Type.Union([Type.String(), Type.Null()], { description: 'What the client calls itself; nobody has checked it' }),
          isOnDevice: Type.Boolean({
            description: 'The answer goes to a program on the device of the person: to any that asked in this name',
          }),
        }),
        Type.Null(),
      ],
      { description: 'Of a client that is known by a document at this address, and that nobody has registered; `name` is then its domain' },
    ),
  }),
  organization: Type.Union([Organization, Type.Null()], {
    description: 'The organization that the person signs in for, when it uses the project of another one',
  }),
  organizations: Type.Array(Organization, {
    description: 'organization: those that the person may sign in for. Empty: they belong to none that uses the project',
  }),
  canSignUp: Type.Boolean({ description: 'organization: whether the person may make one here, by its name' }),
  connection: Type.Union([Type.Object({ id: Type.String(), name: Type.String() }), Type.Null()], {
    description: 'sign_in: the identity provider by which the person comes, where the app or the organization names one',
  }),
  enabledProviders: Type.Array(Type.String(), { description: 'The ways to sign in that the app allows' }),
  hasEmailCodes: Type.Boolean({ description: 'Whether a code by mail is one of them' }),
  scopes: Type.Array(Type.Object({ name: Type.String(), description: Type.Union([Type.String(), Type.Null()]) })),
  details: Type.Array(Type.String(), {
    description: 'consent, device: keys of what people write of themselves (user.metadata) that the app gets with the scope profile',
  }),
  opensSession: Type.Boolean({ description: 'Whether the program may then do everything that the person may, until they end its session' }),
  joins: Type.Boolean({ description: 'Whether a consent also makes the person one of the people of the project' }),
  device: Type.Union([Type.Object({ userAgent: Type.String(), ipAddress: Type.String() }), Type.Null()], {
    description: 'The program that requested the code of a device, and its address; null for other requests',
  }),
  grantedSessions: Type.Integer({ description: 'logout: the sessions that the person’s own granted to programs and devices' }),
  account: Type.Union([Type.Object({ name: Type.String(), email: Type.Union([Type.String(), Type.Null()]) }), Type.Null()]),
};

export const getInteraction = operation({
  name: 'getInteraction',
  summary: 'What a hosted page asks a person who signs in to an app by OpenID Connect',
  kind: 'query',
  input: strict({ id: InteractionId }),
  output: Type.Object(interactionFields),
  access: { open: 'bound to the browser by a cookie; the person may not be signed in yet' },
  scopes: 'none',
  verification: { exempt: 'the caller may not be signed in' },
  isolation: { none: 'single queries' },
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  audit: { none: 'a page reads what it shows' },
  events: [],
  rest: { method: 'GET', path: '/api/auth/interactions/:id' },
  graphql: { none: 'REST only: for the pages, which are bound by a cookie' },

  async handle({ id }, { deps, request, now }) {
    return describeInteraction(await requireInteraction(id, { deps, request, now }), deps);
  },
});

export async function describeInteraction(
  { prompt, reasons, app, client, scopes, session, opensSession, device, organization, hint, redirectUri }: AskedInteraction,
  deps: OauthDeps,
) {
  const actions = scopes.filter((name) => name.includes(':'));
  const [face, profile, [names], words, grantedSessions, places, demands, hinted, document] = await Promise.all([
    app === undefined ? deps.faces.platform : deps.faces.ofClient(app.clientId),
    session && findProfile(deps.database, session.userId),
    namesOfScopes(app === undefined ? [] : [app.scope], deps),
    app === undefined ? new Map<string, string>() : wordsOfActions(app.scope, actions, deps),
    prompt === 'logout' && session !== undefined ? countGrantedSessions(deps.database, session.userId, session.id) : 0,
    prompt === 'organization' && app !== undefined && session !== undefined ? findPlaces(session.userId, app, deps) : undefined,
    app && demandsOf(app, deps, organization?.organizationId),
    prompt === 'sign_in' ? hintedConnection(hint, deps.database) : undefined,
    app === undefined || app.documentUrl === null ? null : describeDocument(app, app.documentUrl, redirectUri, deps),
  ]);
  const required =
    hinted ?? (prompt === 'sign_in' && app !== undefined ? await demandedOf({ app, session, organization }, deps) : undefined);
  const ways = allowedProviders(app ?? { enabledProviders: [] }, [...deps.connections.keys()]);
  const branding = toPublic(face, deps);
  return {
    branding,
    prompt,
    reasons: [...reasons],
    opensSession,
    app: { ...client, id: app?.id ?? null, project: null, organization: null, ...names, logoUrl: branding.logoUrl, document },
    organization: organization === undefined ? null : shownOrganization(organization),
    organizations: places === undefined ? [] : optionsOf(places).map(shownOrganization),
    canSignUp: places !== undefined && app !== undefined && (await maySignUp(app, places, deps)),
    connection: required === undefined ? null : { id: required.id, name: required.name },
    enabledProviders: ways,
    hasEmailCodes: ways.includes(emailProvider) && deps.settings.hasEmailCodes && demands?.allowEmailCode !== false,
    scopes: scopes.map((name) => ({ name, description: words.get(name) ?? null })),
    details: app !== undefined && scopes.includes('profile') ? askedDetails(app) : [],
    joins:
      organization === undefined &&
      app !== undefined &&
      session !== undefined &&
      app.allowSignUp &&
      !(await isProjectUser(session.userId, app.scope, deps)),
    device: device ?? null,
    grantedSessions,
    account: profile === undefined ? null : { name: profile.name, email: addressOf(profile.methods) },
  };
}

/** By which connection this person has to come; of who is not signed in nothing is known. */
function demandedOf(
  { app, session, organization }: Pick<AskedInteraction, 'session' | 'organization'> & { app: ProjectApp },
  deps: OauthDeps,
) {
  if (session === undefined) return undefined;
  const coming = { ...session, authenticatedAtMs: Date.parse(session.authenticatedAt) };
  return requiredConnection(coming, { scope: app.scope, customerId: organization?.organizationId }, deps);
}

async function describeDocument({ id }: ProjectApp, url: string, redirectUri: string | undefined, { database }: OauthDeps) {
  const { ownName = null } = (await findDocument(database, id)) ?? {};
  const isOnDevice = redirectUri !== undefined && URL.canParse(redirectUri) && isLoopback(new URL(redirectUri));
  return { url, domain: new URL(url).host, ownName, isOnDevice };
}

function shownOrganization({ organizationId: id, name, slug }: NamedOrganization) {
  return { id, name, slug };
}
