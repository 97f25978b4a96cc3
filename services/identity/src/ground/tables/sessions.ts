import { column, references, table, timestamp } from '@tessera/kernel/postgres';
import type { TokenScope } from '@tessera/kernel/scope';
import type { Acr, Amr } from '../domain/session.ts';
import { connections } from './connections.ts';
import { authenticationMethods, users } from './people.ts';

/** One for each person, tenant scope and device. */
export const sessions = table(
  'sessions',
  {
    id: column.uuid().primary(),
    userId: references(users),
    authenticationMethodId: references(authenticationMethods).deleteRule('set null').nullable(),
    /** The organization's provider by which the person came. */
    connectionId: references(connections).deleteRule('no action').nullable(),
    /** The session there, if the provider names it. */
    upstreamSid: column.text().nullable(),
    audience: column.text(),
    /** Both are empty, not null, without a tenant scope: a null never conflicts. */
    scopeTenant: column.text().$type<TokenScope['tenant'] | ''>().defaultRaw(`''`),
    scopeId: column.text().defaultRaw(`''`),
    userAgent: column.text(),
    ipAddress: column.text(),
    /** Digest of user agent and address: a user agent may be longer than an index row. */
    deviceKey: column.blob(),
    acr: column.text().$type<Acr>().defaultRaw(`'aal1'`),
    amr: column.json<readonly Amr[]>().defaultRaw(`'[]'`),
    authenticatedAt: timestamp().defaultRaw('now()'),
    /**
     * The sessions that led to this one, from the first to the one that granted it; what the last
     * was then stands in the columns below. Empty after a sign-in.
     */
    granters: column.array().columnType('uuid[]').defaultRaw(`'{}'`),
    granterUserAgent: column.text().nullable(),
    granterIpAddress: column.text().nullable(),
    grantedAt: timestamp().nullable(),
    expiresAt: timestamp(),
    lastUsedAt: timestamp(),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  },
  {
    uniques: [{ name: 'sessions_device', properties: ['userId', 'scopeTenant', 'scopeId', 'deviceKey'] }],
    indexes: [
      { name: 'sessions_expiry', properties: ['expiresAt'] },
      { name: 'sessions_scope', properties: ['scopeTenant', 'scopeId'], where: `scope_tenant <> ''` },
      { name: 'sessions_connection', properties: ['connectionId'], where: 'connection_id IS NOT NULL' },
    ],
    checks: [
      { name: 'sessions_acr_check', expression: `acr IN ('aal1', 'aal2')` },
      { name: 'sessions_upstream_sid_check', expression: 'octet_length(upstream_sid) <= 1020' },
    ],
  },
);

/** A spent token stays until it would have expired: only then a stolen one is recognised. */
export const refreshTokens = table(
  'refresh_tokens',
  {
    hash: column.blob().primary(),
    sessionId: references(sessions),
    createdAt: timestamp(),
    expiresAt: timestamp(),
    spentAt: timestamp().nullable(),
    /** The device that spent the token: it alone may use it again, within a short window. */
    spentBy: column.blob().nullable(),
  },
  {
    uniques: [{ name: 'refresh_tokens_current', properties: ['sessionId'], where: 'spent_at IS NULL' }],
    indexes: [
      { name: 'refresh_tokens_session', properties: ['sessionId'] },
      { name: 'refresh_tokens_expiry', properties: ['expiresAt'] },
    ],
  },
);

/**
 * Tokens that verifiers refuse. A reader that goes on from the snapshot of its last read misses
 * none (`transaction_id`).
 */
export const revocations = table(
  'revocations',
  {
    kind: column.text().$type<'jti' | 'user'>().primary(),
    value: column.text().primary(),
    before: timestamp(),
    expiresAt: timestamp(),
    transactionId: column.text().columnType('xid8').defaultRaw('pg_current_xact_id()'),
  },
  {
    indexes: [
      { name: 'revocations_transaction', properties: ['transactionId'] },
      { name: 'revocations_expiry', properties: ['expiresAt'] },
    ],
    checks: [{ name: 'revocations_kind_check', expression: `kind IN ('jti', 'user')` }],
  },
);
