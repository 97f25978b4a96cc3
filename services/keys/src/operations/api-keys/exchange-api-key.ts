import { failures } from '@tessera/kernel/errors';
import { isId } from '@tessera/kernel/ids';
import { annotate, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { type ApiKey, actingUserOf, isUsable, placeOf, projectScopeOf, scopeOfPlace, tokenLifetimeSeconds } from '../../domain/api-key.ts';
import { assertActive } from '../../domain/project-grant.ts';
import { tokenOfApiKey } from '../../domain/token-request.ts';
import { errors } from '../../errors.ts';
import { touchApiKey } from '../../storage/api-keys.ts';
import { apiKeyScope, apiKeyTenants } from './api-key.ts';
import { isEntitled } from './entitlement.ts';

/** No key has this client id. Looking it up costs the same as looking up another unknown one. */
const unknownClientId = '00000000-0000-0000-0000-000000000000';
/**
 * lastUsedAt is at most this much too old: a key that is exchanged constantly is written once a
 * minute.
 */
const lastUsedPrecisionMs = 60_000;

export const exchangeApiKey = operation({
  name: 'exchangeApiKey',
  summary: 'Exchange the credentials of an API key for an access token',
  kind: 'mutation',
  input: strict({
    clientId: Type.String({ minLength: 1, maxLength: 255 }),
    clientSecret: Type.String({ minLength: 1, maxLength: 255, secret: true }),
    scope: annotate(apiKeyScope, { description: 'The key’s own scope' }),
  }),
  output: Type.Object({ accessToken: Type.String({ secret: true }), expiresIn: Type.Integer({ description: 'Seconds' }) }),
  access: { open: 'the secret is the credential' },
  scopes: apiKeyTenants,
  verification: { exempt: 'API keys count as verified' },
  limit: 'auth',
  errors: ['UNAUTHENTICATED', 'TENANT_SUSPENDED'],
  audit: 'apiKey.exchanged',
  events: [],
  leaves: { ends: 'the token ends with its key' },
  rest: { method: 'POST', path: '/api/auth/token' },
  graphql: { field: 'exchangeApiKey', type: 'ApiKeyToken' },
  prepare: async ({ clientId, clientSecret, scope }, { deps, now }) => {
    const key = await deps.findCredentials(isId(clientId) ? clientId : unknownClientId);
    const isProven = deps.hasher.matches(clientSecret, key?.secretHash);
    // One response for unknown, wrong, revoked, expired and out of scope: each of them has cost one
    // look-up and one hash.
    if (!isProven || key === undefined || !isUsable(key, now) || !livesIn(key, scope)) throw errors.wrongCredentials();
    // Said to those only who have proven the secret.
    if (key.isSuspended === true) throw failures.tenantSuspended();
    const place = await deps.projects.place(projectScopeOf(placeOf(key)));
    if (place?.grant !== undefined) assertActive(place.grant);
    if (place === undefined || !(await isEntitled(key, deps, now))) throw errors.wrongCredentials();
    return { key, owner: place.owner };
  },
  // The key is not read again: a revocation since the look-up refuses the new token as well, by its
  // jti (`refusalOfToken`).
  handle: async (_input, { tx, audit, deps, now }, { key, owner }) => {
    const lifetimeSeconds = tokenLifetimeSeconds(key, now, deps.lifetimes.accessTokenSeconds);
    if (lifetimeSeconds < 1) throw errors.wrongCredentials();
    if (Date.parse(key.lastUsedAt ?? '1970') < now.getTime() - lastUsedPrecisionMs) touchApiKey(tx, key.id, now);
    audit({ targetType: 'ApiKey', targetId: key.id, actorId: actingUserOf(key), detail: { name: key.name } });
    return { key, owner, lifetimeSeconds };
  },
  // After the commit: no token exists without its audit row.
  complete: async ({ key, owner, lifetimeSeconds }, { deps }) => {
    const exchanged = { keyId: key.id, userId: actingUserOf(key), roleId: key.roleId, lifetimeSeconds };
    const { token } = await deps.sign(tokenOfApiKey({ place: projectScopeOf(placeOf(key)), owner, appUrl: deps.appUrl }, exchanged));
    return { accessToken: token, expiresIn: lifetimeSeconds };
  },
});

function livesIn(key: ApiKey, scope: { readonly tenant: string; readonly id: string }): boolean {
  const own = scopeOfPlace(placeOf(key));
  return own.tenant === scope.tenant && own.id === scope.id;
}
