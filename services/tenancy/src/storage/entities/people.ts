import { column, references, table, timestamp } from '@tessera/kernel/postgres';
import type { AccountType } from '../../domain/account.ts';
import { bytes, dates, name } from './fields.ts';

/**
 * Tenancy's copy of identity's users. A deleted person stays as a tombstone: later events about
 * them change nothing.
 */
export const people = table(
  'people',
  {
    userId: column.uuid().primary(),
    name: name(),
    email: bytes().nullable(),
    createdAt: timestamp(),
    updatedAt: timestamp(),
    deletedAt: timestamp().nullable(),
    /**
     * Set while an account closure runs: it finishes after a crash, and nothing new begins for the
     * person.
     */
    closingAt: timestamp().nullable(),
    closingHard: column.boolean().default(false),
  },
  {
    indexes: [
      { name: 'people_closing', properties: ['closingAt'], where: 'closing_at IS NOT NULL' },
      { name: 'people_email', properties: ['email'], where: 'deleted_at IS NULL' },
    ],
  },
);

/** At most one living account of each type for an owner. */
export const accounts = table(
  'accounts',
  {
    id: column.uuid().primary(),
    type: column.text().$type<AccountType>(),
    ownerId: references(people).deleteRule('no action'),
    ...dates(),
  },
  {
    uniques: [{ name: 'accounts_owner_type', properties: ['ownerId', 'type'], where: 'deleted_at IS NULL' }],
    checks: [{ name: 'accounts_type_check', expression: `type IN ('personal', 'organization')` }],
  },
);
