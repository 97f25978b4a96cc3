/**
 * POST /api/auth/connections/{id}/backchannel-logout: an organization's provider ends a session, or
 * all of a person (OpenID Connect Back-Channel Logout 1.0). It ends what came by that connection,
 * and nothing else of the person.
 */
import { failures } from '@tessera/kernel/errors';
import { isId } from '@tessera/kernel/ids';
import { type JWTPayload, errors as jose, jwtVerify } from 'jose';
import { assertionAlgorithms } from '../apps/domain/service-keys.ts';
import { providerOfConnection } from '../ground/domain/connection.ts';
import { auditRefusal, transact, type Unit } from '../ground/transact.ts';
import { findCredentials } from '../people/storage/authentication-methods.ts';
import { longestSid } from '../sign-in/connections/openid-connection.ts';
import { noteLogout, useLogoutToken } from '../sign-in/storage/connection-logouts.ts';
import { type Connection, endSessionsOfConnection, findConnection, lockConnection } from '../sign-in/storage/connections.ts';
import type { ProtocolContext } from './deps.ts';
import { KeysUnavailable } from './outer-keys.ts';

/** Why a logout token is not accepted. */
export class LogoutRefusal extends Error {
  override readonly name = 'LogoutRefusal';
}

type Logout = { readonly jti: string; readonly sub?: string | undefined; readonly sid?: string | undefined };

const operation = 'upstreamLogout';
const event = 'http://schemas.openid.net/event/backchannel-logout';
/** Section 2.4: `logout+jwt`. Providers from before it was registered say JWT, or nothing. */
const types = new Set([undefined, 'logout+jwt', 'application/logout+jwt', 'JWT', 'jwt']);
const longestAgeSeconds = 300;
const skewSeconds = 60;
const longestToken = 16_384;
const longestId = 255;

/** Throws `LogoutRefusal`, or `KeysUnavailable` while the provider's keys cannot be read. */
export async function receiveLogout(context: ProtocolContext, id: string | undefined, form: URLSearchParams): Promise<void> {
  const { deps } = context;
  const connection = id !== undefined && isId(id) ? await findConnection(deps.database, id) : undefined;
  if (connection?.status !== 'active' || connection.issuer === null) throw failures.notFound('Connection');
  try {
    const logout = await readLogout(form, { ...connection, issuer: connection.issuer }, context);
    await endSessions(connection, logout, context);
  } catch (error) {
    if (!(error instanceof LogoutRefusal)) throw error;
    const scope = { tenant: 'organization', id: connection.organizationId } as const;
    const entry = { targetType: 'Connection', targetId: connection.id, scope, detail: { reason: error.message } };
    await auditRefusal(context, { operation, action: 'connection.logged-out', code: 'invalid_request', entry });
    throw error;
  }
}

type Signed = Pick<Connection, 'clientId' | 'organizationId'> & { readonly issuer: string };

/** Section 2.6, in its order. */
async function readLogout(
  form: URLSearchParams,
  { issuer, clientId, organizationId }: Signed,
  { deps, now }: ProtocolContext,
): Promise<Logout> {
  const [token, ...more] = form.getAll('logout_token');
  if (token === undefined || more.length > 0 || token.length > longestToken) throw new LogoutRefusal('there is not one logout_token');
  const { payload, protectedHeader } = await jwtVerify(
    token,
    async (header) => {
      const key = await deps.outerKeys.find({ issuer, ownerId: organizationId }, header, now);
      if (key === undefined) throw new LogoutRefusal('no key of the provider has signed it');
      return key;
    },
    {
      issuer,
      audience: clientId ?? '',
      algorithms: [...assertionAlgorithms],
      maxTokenAge: longestAgeSeconds,
      clockTolerance: skewSeconds,
      currentDate: now,
      requiredClaims: ['iss', 'aud', 'iat', 'jti', 'events'],
    },
  ).catch((error: unknown) => {
    if (error instanceof LogoutRefusal || error instanceof KeysUnavailable) throw error;
    if (error instanceof jose.JWTClaimValidationFailed || error instanceof jose.JWTExpired)
      throw new LogoutRefusal(`${error.claim} is not accepted`);
    if (error instanceof jose.JOSEError) throw new LogoutRefusal('it is no token that the provider has signed');
    throw error;
  });
  if (!types.has(protectedHeader.typ)) throw new LogoutRefusal('typ is another');
  return claimsOf(payload);
}

function claimsOf({ jti, sub, sid, events, nonce }: JWTPayload): Logout {
  // An ID token has a nonce, and must not end a session.
  if (nonce !== undefined) throw new LogoutRefusal('nonce is not allowed');
  const named: unknown =
    typeof events === 'object' && events !== null && Object.hasOwn(events, event) ? Reflect.get(events, event) : undefined;
  if (typeof named !== 'object' || named === null || Array.isArray(named)) throw new LogoutRefusal('events names no logout');
  const isText = (value: unknown, longest: number): value is string => typeof value === 'string' && value !== '' && value.length <= longest;
  if (!isText(jti, longestId)) throw new LogoutRefusal('jti is not accepted');
  if (sub !== undefined && !isText(sub, longestId)) throw new LogoutRefusal('sub is not accepted');
  if (sid !== undefined && !isText(sid, longestSid)) throw new LogoutRefusal('sid is not accepted');
  if (sub === undefined && sid === undefined) throw new LogoutRefusal('it names neither sub nor sid');
  return { jti, sub, sid };
}

async function endSessions(connection: Connection, logout: Logout, context: ProtocolContext): Promise<void> {
  const { deps, now } = context;
  const { result } = await transact(context, operation, async (unit) => {
    // A sign-in holds the connection until its session is there, or sees what ends here.
    const held = await lockConnection(unit.tx, connection.organizationId, connection.id);
    if (held?.status !== 'active') throw failures.notFound('Connection');
    if (!(await useLogoutToken(unit.tx, held.id, logout.jti, now))) throw new LogoutRefusal('it was used before');
    const ended = await endThose(unit, held, logout);
    const scope = { tenant: 'organization', id: held.organizationId } as const;
    const detail = { endedSessions: ended.length, by: logout.sid === undefined ? 'sub' : 'sid' };
    unit.audit('connection.logged-out', { targetType: 'Connection', targetId: held.id, scope, detail });
    return deps.revoker.revokeSessions(unit.tx, ended, now);
  });
  deps.revoker.announce(result);
}

/** With both, the session of this person. A person who is not known here has none. */
async function endThose({ tx, now }: Unit, { id }: Connection, { sub, sid }: Logout): Promise<string[]> {
  if (sid !== undefined) await noteLogout(tx, id, 'sid', sid, now);
  else if (sub !== undefined) await noteLogout(tx, id, 'sub', sub, now);
  const person = sub === undefined ? undefined : await findCredentials(tx, providerOfConnection(id), sub);
  if (sub !== undefined && person === undefined) return [];
  return endSessionsOfConnection(tx, id, {
    ...(person === undefined ? {} : { userId: person.userId }),
    ...(sid === undefined ? {} : { upstreamSid: sid }),
  });
}
