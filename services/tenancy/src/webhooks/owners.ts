/** Mails about a webhook, to the Owners of its organization or the owner of its account. */
import type { OutgoingEvent } from '@tessera/kernel/events';
import type { GrpcClient } from '@tessera/kernel/grpc';
import { newId } from '@tessera/kernel/ids';
import type { Database } from '@tessera/kernel/postgres';
import type { ParsedScope } from '@tessera/kernel/scope';
import { consolePathOf, scopeOfTenant, type Tenant } from '../domain/webhook.ts';
import { findAccounts } from '../storage/accounts.ts';
import { addressesOfPeople } from '../storage/people.ts';
import { nameScopes } from '../storage/scopes.ts';

export type Letter = { readonly template: 'webhook-disabled' | 'webhook-unvouched' | 'webhook-stopped'; readonly until?: Date };
export type TellOwners = (
  webhook: Tenant & { readonly webhookId: string; readonly url: string },
  letter: Letter,
) => Promise<readonly OutgoingEvent[]>;

type Options = {
  readonly db: Database;
  readonly authorization: Pick<GrpcClient<'rbac.v1.Authorization'>, 'findSubjects'>;
  readonly appUrl: string;
};

const mostOwners = 50;

export function createTellOwners({ db, authorization, appUrl }: Options): TellOwners {
  const ownersOf = async ({ organizationId, accountId }: ParsedScope): Promise<readonly string[]> => {
    if (organizationId === undefined) return (await findAccounts(db, [accountId ?? ''])).map(({ ownerId }) => ownerId);
    // Of the built-in roles only the Owner may delete an organization.
    const asked = { type: 'user', scope: { tenant: 'organization', id: organizationId }, resource: 'Organization', action: 'Delete' };
    return (await authorization.findSubjects({ ...asked, targetJson: '', cursor: '', limit: mostOwners })).ids;
  };
  return async (webhook, { template, until }) => {
    const scope = scopeOfTenant(webhook);
    const [owners, [names]] = await Promise.all([ownersOf(scope), nameScopes(db, [scope])]);
    const scopeName = [names?.organization, names?.project].filter(Boolean).join(' / ') || appUrl;
    const url = `${appUrl}${consolePathOf(webhook, webhook.webhookId)}`;
    const end = until === undefined ? {} : { until: `${until.toISOString().slice(0, 16).replace('T', ' ')} UTC` };
    const data = { token: '', url, webhookUrl: webhook.url, scopeName, ...end };
    return (await addressesOfPeople(db, owners)).map((to) => {
      const messageId = newId();
      return { type: 'mail.requested', key: messageId, payload: { messageId, to, template, language: 'en', data } };
    });
  };
}
