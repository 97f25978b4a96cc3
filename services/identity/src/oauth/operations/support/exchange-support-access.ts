import { linkedByProvider } from '@tessera/kernel/authorization';
import { failures } from '@tessera/kernel/errors';
import { Id, scopeField, strict, Timestamp } from '@tessera/kernel/operation';
import Type from 'typebox';
import {
  findSupportAccess,
  holdSessionOfSupport,
  lockSupportAccess,
  type SupportAccess as Row,
  startSupportAccess,
} from '../../../apps/storage/support-accesses.ts';
import { sessionTokens } from '../../../people/operations/entities.ts';
import { findSignedInSession, type SignedInSession } from '../../../sign-in/storage/sessions.ts';
import { type OauthDeps, operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import {
  assertActable,
  assertIn,
  auditThere,
  entryOf,
  requirePerson,
  SupportAccess,
  supportScopes,
  toSupportAccess,
} from './support-access.ts';
import { queueMails, readToTell } from './tell.ts';

export const exchangeSupportAccess = operation({
  name: 'exchangeSupportAccess',
  summary:
    'Exchange the own session for a token to act as the person (RFC 8693: `act` names the supporter); begins an access that was allowed',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id }),
  output: Type.Object({ accessToken: sessionTokens.accessToken, expiresAt: Timestamp, access: SupportAccess }),
  access: { permission: 'SupportAccess:Use' },
  scopes: supportScopes,
  verification: 'by-scope',
  limit: { global: 'its secret is the answer' },
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['CONFLICT', 'CONNECTION_REQUIRED', 'FORBIDDEN', 'FRESH_SIGN_IN_REQUIRED', 'NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  audit: 'support.started',
  events: [],
  leaves: { ends: 'by the clock, with the session that exchanged, and when anybody concerned ends it' },
  rest: { method: 'POST', path: '/api/support-access/:id/token' },
  graphql: { field: 'exchangeSupportAccess', type: 'SupportToken' },

  async prepare({ id }, context) {
    const { deps, now } = context;
    const { userId, sessionId } = requirePerson(context);
    const row = assertIn(await findSupportAccess(deps.database, id), context);
    if (row.supporterId !== userId) throw failures.notFound('SupportAccess');
    const session = await findSignedInSession(deps.database, sessionId, now);
    if (session === undefined) throw failures.unauthenticated();
    // A provider that has linked the supporter opens its own organization alone, and no other's.
    if (session.amr.includes(linkedByProvider)) throw failures.freshSignInRequired();
    assertMayExchange(row, sessionId, now);
    await assertActable(row, context);
    const endsAt = row.status === 'active' ? row.endsAt : new Date(now.getTime() + row.minutes * 60_000).toISOString();
    const signed = await sign({ ...row, endsAt }, session, context);
    const receivers = [row.userId, ...(row.decidedBy === null ? [] : [row.decidedBy])];
    return { signed, endsAt, sessionId, toTell: row.status === 'active' ? undefined : await readToTell(row, receivers, deps) };
  },

  async handle({ id }, context, { signed, endsAt, sessionId, toTell }) {
    const { tx, deps, now, audit, request } = context;
    // In the order of a sign-out: it ends the session first, then what the session uses.
    if (!(await holdSessionOfSupport(tx, sessionId))) throw failures.unauthenticated();
    const row = assertIn(await lockSupportAccess(tx, id), context);
    assertMayExchange(row, sessionId, now);
    if (row.status === 'active') {
      // Another request of this session was faster, and its end counts.
      if (Date.parse(endsAt) > Date.parse(row.endsAt)) throw errors.supportNotOpen();
      audit({ ...entryOf(row), action: 'support.renewed' });
      return { row, signed };
    }
    const start = { sessionId, startedAt: now.toISOString(), endsAt };
    await startSupportAccess(tx, id, start);
    const started = { ...row, ...start, status: 'active' } as const;
    if (toTell !== undefined) await queueMails(tx, 'support-started', started, toTell, { deps, now, language: request.language });
    audit(entryOf(started));
    await auditThere(tx, 'support.started', started, context);
    return { row: started, signed };
  },

  async complete({ row, signed }, context) {
    context.deps.mailer.poke();
    const expiresAt = new Date(signed.expiresAt * 1_000).toISOString();
    return { accessToken: signed.token, expiresAt, access: await toSupportAccess(row, context) };
  },
});

function assertMayExchange({ status, sessionId, endsAt }: Row, own: string, now: Date): void {
  const isOpen = status === 'allowed' || (status === 'active' && sessionId === own);
  if (!isOpen || Date.parse(endsAt) <= now.getTime()) throw errors.supportNotOpen();
}

/** Clocks of services differ: the token must never be valid beyond the end that it names. */
const marginSeconds = 2;

/** With the level of the supporter's sign-in, and bound to the organization. */
async function sign(
  row: Row,
  { acr, amr, authenticatedAt }: SignedInSession,
  { deps, now }: { readonly deps: OauthDeps; readonly now: Date },
) {
  const until = Math.floor(Date.parse(row.endsAt) / 1_000);
  const left = until - Math.ceil(now.getTime() / 1_000) - marginSeconds;
  if (left < 1) throw errors.supportNotOpen();
  return deps.sign({
    scope: { tenant: 'system', id: '' },
    type: 'session',
    subject: row.userId,
    tokenId: row.id,
    audience: '',
    lifetimeSeconds: Math.min(left, deps.accessTokenSeconds),
    claimsJson: JSON.stringify({
      isVerified: true,
      acr,
      amr,
      auth_time: Math.floor(Date.parse(authenticatedAt) / 1_000),
      act: { sub: row.supporterId },
      support: {
        id: row.id,
        until,
        project: row.projectScopeId,
        organization: row.organizationId,
        ...(row.mayWrite ? { mayWrite: true } : {}),
        ...(row.mayExport ? { mayExport: true } : {}),
      },
    }),
  });
}
