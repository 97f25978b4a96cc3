/** Mails to the Owners about a domain whose record is gone. */
import type { OutgoingEvent } from '@tessera/kernel/events';
import { newId } from '@tessera/kernel/ids';
import type { Database } from '@tessera/kernel/postgres';
import { parseScope } from '@tessera/kernel/scope';
import { challengeName, type DomainLetter, lostAt } from '../domain/domain.ts';
import type { AddressesOfOwners } from '../peers/owners.ts';
import type { Domain } from '../storage/domains.ts';
import { nameScopes } from '../storage/scopes.ts';

export type WriteLetters = (domain: Domain, letter: DomainLetter) => Promise<readonly OutgoingEvent[]>;

type Options = { readonly db: Database; readonly addressesOfOwners: AddressesOfOwners; readonly appUrl: string };

const templates = { failing: 'domain-failing', reminded: 'domain-failing', lost: 'domain-lost' } as const;

export function createWriteLetters({ db, addressesOfOwners, appUrl }: Options): WriteLetters {
  return async ({ organizationId, domain, challenge, failingSince }, letter) => {
    const scope = parseScope({ tenant: 'organization', id: organizationId });
    const [addresses, [names]] = await Promise.all([addressesOfOwners(scope), nameScopes(db, [scope])]);
    const until = failingSince === null ? '' : `${lostAt(failingSince).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
    const url = `${appUrl}/console/org/${organizationId}/domains`;
    const record = { recordName: challengeName(domain), recordValue: challenge };
    const data = { token: '', url, domain, scopeName: names?.organization ?? appUrl, until, ...record };
    return addresses.map((to) => {
      const messageId = newId();
      const payload = { messageId, to, template: templates[letter], language: 'en', data };
      return { type: 'mail.requested', key: messageId, payload };
    });
  };
}
