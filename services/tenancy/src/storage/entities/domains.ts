import { column, pivot, references, timestamp } from '@tessera/kernel/postgres';
import type { DomainLetter, DomainProblem, DomainStatus } from '../../domain/domain.ts';
import { organizations } from './organizations.ts';

/** A domain is proven by one organization at most. */
export const domains = pivot(
  'domains',
  {
    id: column.uuid().primary(),
    organizationId: references(organizations),
    domain: column.text(),
    status: column.text().$type<DomainStatus>().defaultRaw(`'pending'`),
    challenge: column.text(),
    verifiedAt: timestamp().nullable(),
    /** When the record was seen last. */
    seenAt: timestamp().nullable(),
    failingSince: timestamp().nullable(),
    checkedAt: timestamp().nullable(),
    problem: column.text().$type<DomainProblem>().nullable(),
    /** The last mail to the Owners since the record was seen. */
    told: column.text().$type<DomainLetter>().nullable(),
    toldAt: timestamp().nullable(),
    /** When the daily check took it last. */
    askedAt: timestamp().defaultRaw('now()'),
    createdBy: column.uuid(),
    /** The set-up link that has named it last. */
    setUpLinkId: column.uuid().nullable(),
    createdAt: timestamp().defaultRaw('now()'),
    updatedAt: timestamp().defaultRaw('now()'),
  },
  {
    tenant: ['organizationId'],
    uniques: [
      { name: 'domains_claim', properties: ['organizationId', 'domain'] },
      { name: 'domains_proven', properties: ['domain'], where: `status IN ('verified', 'failing')` },
    ],
    indexes: [
      { name: 'domains_due', properties: ['askedAt'], where: `status IN ('verified', 'failing')` },
      {
        name: 'domains_untold',
        properties: ['failingSince'],
        where: `status = 'failing' OR (status = 'lost' AND told IS DISTINCT FROM 'lost')`,
      },
    ],
    checks: [
      { name: 'domains_status_check', expression: `status IN ('pending', 'verified', 'failing', 'lost')` },
      {
        name: 'domains_problem_check',
        expression: `problem IN ('record_missing', 'record_differs', 'dns_failed', 'claimed_elsewhere')`,
      },
      { name: 'domains_told_check', expression: `told IN ('failing', 'reminded', 'lost')` },
    ],
  },
);
