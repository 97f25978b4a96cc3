import { column, table, timestamp } from '@tessera/kernel/postgres';
import type { Voucher } from '../domain/project-app.ts';

/** By which a customer's IT sets up the sign-in of its organization (decision 37). */
export const setUpLinks = table(
  'set_up_links',
  {
    id: column.uuid().primary(),
    organizationId: column.uuid(),
    tokenHash: column.blob().$type<Buffer>(),
    /** SHA-256 of the cookie of the browser that has begun. */
    browser: column.text().nullable(),
    /** Who made it, and by what: asked again at each step. */
    voucher: column.json().$type<Voucher>(),
    createdBy: column.uuid(),
    email: column.text().nullable(),
    /** The addresses for the provider are known before the connection is made. */
    connectionId: column.uuid(),
    connectionMadeAt: timestamp().nullable(),
    /** Whether it may make the token of a directory, and the account that it made. */
    allowsDirectory: column.boolean().defaultRaw('false'),
    directoryAccountId: column.uuid().nullable(),
    begunAt: timestamp().nullable(),
    begunFrom: column.text().nullable(),
    finishedAt: timestamp().nullable(),
    revokedAt: timestamp().nullable(),
    expiresAt: timestamp(),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  },
  {
    uniques: [
      { name: 'set_up_links_token', properties: ['tokenHash'] },
      { name: 'set_up_links_connection', properties: ['connectionId'] },
    ],
    indexes: [
      { name: 'set_up_links_organization', properties: ['organizationId', 'createdAt'] },
      { name: 'set_up_links_expired', properties: ['expiresAt'] },
    ],
    checks: [{ name: 'set_up_links_browser_check', expression: '(browser IS NULL) = (begun_at IS NULL)' }],
  },
);
