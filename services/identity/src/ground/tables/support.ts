import { column, references, table, timestamp } from '@tessera/kernel/postgres';
import { users } from './people.ts';

/** Whose supporters an organization lets begin without asking, until when. */
export const supportConsents = table(
  'support_consents',
  {
    id: column.uuid().primary(),
    organizationId: column.uuid(),
    /** `<owner>:<project>` */
    projectScopeId: column.text(),
    mayWrite: column.boolean(),
    mayExport: column.boolean(),
    givenBy: column.uuid(),
    givenAt: timestamp(),
    endsAt: timestamp(),
  },
  { uniques: [{ name: 'support_consents_pair', properties: ['organizationId', 'projectScopeId'] }] },
);

/** A supporter who asks to act as a person of an organization, or acts, or did. */
export const supportAccesses = table(
  'support_accesses',
  {
    id: column.uuid().primary(),
    supporterId: references(users),
    userId: references(users),
    organizationId: column.uuid(),
    projectScopeId: column.text(),
    reason: column.text(),
    minutes: column.integer(),
    status: column.text().$type<'requested' | 'allowed' | 'active' | 'refused' | 'ended'>(),
    requestedAt: timestamp(),
    decidedBy: column.uuid().nullable(),
    decidedAt: timestamp().nullable(),
    consentId: column.uuid().nullable(),
    mayWrite: column.boolean(),
    mayExport: column.boolean(),
    /** The supporter's: no other gets a token. */
    sessionId: column.uuid().nullable(),
    startedAt: timestamp().nullable(),
    /** When it lapses or ends by itself. */
    endsAt: timestamp(),
    endedAt: timestamp().nullable(),
    endedBy: column
      .text()
      .$type<'supporter' | 'person' | 'organization' | 'consent' | 'session' | 'rights' | 'membership' | 'grant' | 'time'>()
      .nullable(),
    toldAt: timestamp().nullable(),
  },
  {
    uniques: [
      {
        name: 'support_accesses_open',
        properties: ['supporterId', 'userId', 'organizationId'],
        where: `status IN ('requested', 'allowed', 'active')`,
      },
    ],
    indexes: [
      { name: 'support_accesses_user', properties: ['userId', 'requestedAt'] },
      { name: 'support_accesses_organization', properties: ['organizationId', 'requestedAt'] },
      { name: 'support_accesses_project', properties: ['projectScopeId', 'requestedAt'] },
      { name: 'support_accesses_session', properties: ['sessionId'], where: 'session_id IS NOT NULL' },
      { name: 'support_accesses_ends', properties: ['endsAt'], where: `status IN ('requested', 'allowed', 'active')` },
    ],
    checks: [
      { name: 'support_accesses_reason_check', expression: 'octet_length(reason) <= 2000' },
      { name: 'support_accesses_minutes_check', expression: 'minutes >= 15 AND minutes <= 240' },
      { name: 'support_accesses_status_check', expression: `status IN ('requested', 'allowed', 'active', 'refused', 'ended')` },
    ],
  },
);
