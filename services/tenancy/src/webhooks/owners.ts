/** Mails about a webhook, to the Owners of its organization or the owner of its account. */
import type { OutgoingEvent } from '@tessera/kernel/events';
import { newId } from '@tessera/kernel/ids';
import type { Database } from '@tessera/kernel/postgres';
import { consolePathOf, scopeOfTenant, type Tenant } from '../domain/webhook.ts';
import type { AddressesOfOwners } from '../peers/owners.ts';
import { nameScopes } from '../storage/scopes.ts';

export type Letter = { readonly template: 'webhook-disabled' | 'webhook-unvouched' | 'webhook-stopped'; readonly until?: Date };
export type TellOwners = (
  webhook: Tenant & { readonly webhookId: string; readonly url: string },
  letter: Letter,
) => Promise<readonly OutgoingEvent[]>;

type Options = { readonly db: Database; readonly addressesOfOwners: AddressesOfOwners; readonly appUrl: string };

export function createTellOwners({ db, addressesOfOwners, appUrl }: Options): TellOwners {
  return async (webhook, { template, until }) => {
    const scope = scopeOfTenant(webhook);
    const [addresses, [names]] = await Promise.all([addressesOfOwners(scope), nameScopes(db, [scope])]);
    const scopeName = [names?.organization, names?.project].filter(Boolean).join(' / ') || appUrl;
    const url = `${appUrl}${consolePathOf(webhook, webhook.webhookId)}`;
    const end = until === undefined ? {} : { until: `${until.toISOString().slice(0, 16).replace('T', ' ')} UTC` };
    const data = { token: '', url, webhookUrl: webhook.url, scopeName, ...end };
    return addresses.map((to) => {
      const messageId = newId();
      return { type: 'mail.requested', key: messageId, payload: { messageId, to, template, language: 'en', data } };
    });
  };
}
