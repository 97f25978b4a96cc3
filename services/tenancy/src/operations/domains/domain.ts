import { failures } from '@tessera/kernel/errors';
import { entityFields, Nullable, scopeOf, strict, Timestamp } from '@tessera/kernel/operation';
import type { ParsedScope } from '@tessera/kernel/scope';
import Type from 'typebox';
import { challengeName, domainProblems, domainStatuses, lostAt } from '../../domain/domain.ts';
import { type NameFault, parseDomain } from '../../domains/name.ts';
import type * as storage from '../../storage/domains.ts';

export const domainScopes = ['organization'] as const;

export const DomainStatusSchema = Type.Enum([...domainStatuses]);

export const DomainSchema = strict(
  {
    ...entityFields,
    domain: Type.String({ description: 'In ASCII', examples: ['example.com'] }),
    status: DomainStatusSchema,
    challenge: strict(
      { name: Type.String({ examples: ['_tessera-challenge.example.com'] }), value: Type.String({ examples: ['tessera-domain=…'] }) },
      { description: 'The TXT record that proves the domain. Keep it: it is looked for every day' },
    ),
    verifiedAt: Nullable(Timestamp),
    checkedAt: Nullable(Timestamp),
    failingSince: Nullable(Timestamp),
    lostAt: Nullable(Type.String({ format: 'date-time', description: 'When a failing domain is lost, unless the record is seen before' })),
    problem: Nullable(
      Type.Enum([...domainProblems], {
        description:
          'Why the last check did not succeed: there is no such record, others but not this one, the DNS could not be asked, or another organization here has the domain',
      }),
    ),
  },
  {
    description:
      'A domain that an organization claims, and proves by its DNS. `failing`: the record is gone; it counts as proven for seven days, then it is `lost`',
  },
);

export function organizationOf(context: { readonly scope: ParsedScope | undefined }): string {
  const { organizationId } = scopeOf(context);
  if (organizationId === undefined) throw new Error('a domain belongs to an organization');
  return organizationId;
}

export function present({ organizationId: _, challenge, seenAt: _seen, told: _told, ...domain }: storage.Domain) {
  const end = domain.status === 'failing' && domain.failingSince !== null ? lostAt(domain.failingSince).toISOString() : null;
  return { ...domain, challenge: { name: challengeName(domain.domain), value: challenge }, lostAt: end, deletedAt: null };
}

const faults: Readonly<Record<NameFault, { readonly en: string; readonly de: string }>> = {
  form: { en: 'is no domain; write it like example.com', de: 'ist keine Domain; schreiben Sie sie wie example.com' },
  more: {
    en: 'must be the domain alone, without @, https:// and path; write it like example.com',
    de: 'darf nur die Domain sein, ohne @, https:// und Pfad; schreiben Sie sie wie example.com',
  },
  long: { en: 'is too long: it may have 234 characters', de: 'ist zu lang: 234 Zeichen sind möglich' },
  ip: {
    en: 'is an IP address; write the domain, like example.com',
    de: 'ist eine IP-Adresse; schreiben Sie die Domain, wie example.com',
  },
  suffix: {
    en: 'is a name under which anybody can register; claim your own domain below it',
    de: 'ist ein Name, unter dem sich jeder eine Domain registrieren kann; fügen Sie Ihre eigene Domain darunter hinzu',
  },
  public: {
    en: 'belongs to a mail provider where anybody gets an address; claim a domain that only your organization uses',
    de: 'gehört einem Mailanbieter, bei dem jeder eine Adresse bekommt; fügen Sie eine Domain hinzu, die nur Ihre Organisation nutzt',
  },
};

/** The one form of the name, or a refusal that says what to write. */
export function readDomain(text: string): string {
  const parsed = parseDomain(text);
  if ('fault' in parsed) throw failures.validation('domain', faults[parsed.fault]);
  return parsed.domain;
}
