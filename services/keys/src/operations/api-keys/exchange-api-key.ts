import { isId } from '@tessera/kernel/ids';
import { strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { type KeysDeps, operation } from '../../deps.ts';
import { type ApiKey, isUsable, placeOf, projectScopeOf, scopeOfPlace, tokenLifetimeSeconds } from '../../domain/api-key.ts';
import { tokenOfApiKey } from '../../domain/token-request.ts';
import { errors } from '../../errors.ts';
import { apiKeyScope, apiKeyTenants } from './api-key.ts';

/** No key has this client id. */
const nobody = '00000000-0000-0000-0000-000000000000';

export const exchangeApiKey = operation({
  name: 'exchangeApiKey',
  summary: 'Exchange the credentials of an API key for an access token',
  kind: 'mutation',
  input: strict({
    clientId: Type.String({ minLength: 1, maxLength: 255 }),
    clientSecret: Type.String({ minLength: 1, maxLength: 255, secret: true }),
    scope: apiKeyScope,
  }),
  output: Type.Object({ accessToken: Type.String({ secret: true }), expiresIn: Type.Integer({ description: 'Seconds' }) }),
  access: { open: 'the secret is the credential' },
  scopes: apiKeyTenants,
  verification: { exempt: 'API keys count as verified' },
  isolation: { none: 'reads one key by its client id before any scope is proven, and notes its use in batches' },
  errors: ['UNAUTHENTICATED'],
  audit: 'apiKey.exchanged',
  events: [],
  rest: { method: 'POST', path: '/api/auth/token' },
  graphql: { field: 'exchangeApiKey' },
  prepare: async ({ clientId, clientSecret, scope }, { deps, now }) => {
    const found = await deps.credentials.find(isId(clientId) ? clientId : nobody);
    const isProven = deps.hasher.matches(clientSecret, found?.secretHash);
    // One answer for unknown, wrong, revoked, expired and out of scope: each of them has cost one look-up and one hash.
    if (!isProven || found === undefined || !isUsable(found, now) || !livesIn(found, scope)) throw errors.wrongCredentials();
    return found;
  },
  handle: async (_input, { deps, now }, key) => {
    await assertStillEntitled(key, deps);
    const lifetimeSeconds = tokenLifetimeSeconds(key, now, deps.lifetimes.accessTokenSeconds);
    if (lifetimeSeconds < 1) throw errors.wrongCredentials();
    return { key, lifetimeSeconds };
  },
  complete: async ({ key, lifetimeSeconds }, { deps, now, request }) => {
    const userId = actingUserOf(key);
    const exchanged = { keyId: key.id, userId, roleId: key.roleId, lifetimeSeconds };
    const tokenRequest = tokenOfApiKey(projectScopeOf(placeOf(key)), exchanged, deps.appUrl);
    const { token } = await deps.sign(tokenRequest);
    const { scope } = tokenRequest.claims;
    const { id: requestId, ipAddress, userAgent } = request;
    deps.usage.note({ keyId: key.id, userId, scope, at: now, ipAddress, userAgent, requestId });
    return { accessToken: token, expiresIn: lifetimeSeconds };
  },
});

/** A project's own key acts for whoever made it. */
function actingUserOf({ userId, createdBy }: ApiKey): string {
  return userId ?? createdBy;
}

function livesIn(key: ApiKey, scope: { readonly tenant: string; readonly id: string }): boolean {
  const own = scopeOfPlace(placeOf(key));
  return own.tenant === scope.tenant && own.id === scope.id;
}

/** The project, the user and the user's place in it must still be there; whoever made a key must still be able to make it. */
async function assertStillEntitled(key: ApiKey, { projects, roles }: KeysDeps): Promise<void> {
  const project = projectScopeOf(placeOf(key));
  const userId = actingUserOf(key);
  const [exists, belongs, isCovered] = await Promise.all([
    projects.exists(project),
    projects.belongs(project, userId),
    key.roleId === null || roles.couldStillGive(key.createdBy, project, key.roleId),
  ]);
  if (!exists || !belongs || !isCovered) throw errors.wrongCredentials();
  if (key.userId === null || key.userId === key.createdBy) return;
  const creator = { type: 'session', userId: key.createdBy, tokenId: key.id } as const;
  const creatorBelongs = await projects.belongs(project, key.createdBy);
  if (!creatorBelongs || !(await roles.coversRolesOf(creator, project, key.userId))) throw errors.wrongCredentials();
}
