/** A target that has failed for three days is switched off, and people are told. */
import { emit, type OutgoingEvent } from '@tessera/kernel/events';
import type { GrpcClient } from '@tessera/kernel/grpc';
import { newId } from '@tessera/kernel/ids';
import { writeAudit } from '@tessera/kernel/operation';
import type { Database, Transaction } from '@tessera/kernel/postgres';
import type { ParsedScope } from '@tessera/kernel/scope';
import { consolePathOf, scopeOfTenant } from '../domain/webhook.ts';
import { webhooksWatched } from '../events.ts';
import { findAccounts } from '../storage/accounts.ts';
import { addressesOfPeople } from '../storage/people.ts';
import { nameScopes } from '../storage/scopes.ts';
import { disableWebhook, type Leased } from '../storage/webhook-deliveries.ts';
import { countWebhooks } from '../storage/webhooks.ts';

export type TellOwners = (delivery: Leased) => Promise<readonly OutgoingEvent[]>;

type Options = {
  readonly db: Database;
  readonly authorization: Pick<GrpcClient<'rbac.v1.Authorization'>, 'findSubjects'>;
  readonly appUrl: string;
};

const mostOwners = 50;

/** The mails to the Owners of the organization, or to the owner of the account. */
export function createTellOwners({ db, authorization, appUrl }: Options): TellOwners {
  const ownersOf = async ({ organizationId, accountId }: ParsedScope): Promise<readonly string[]> => {
    if (organizationId === undefined) return (await findAccounts(db, [accountId ?? ''])).map(({ ownerId }) => ownerId);
    // Of the built-in roles only the Owner may delete an organization.
    const asked = { type: 'user', scope: { tenant: 'organization', id: organizationId }, resource: 'Organization', action: 'Delete' };
    return (await authorization.findSubjects({ ...asked, targetJson: '', cursor: '', limit: mostOwners })).ids;
  };
  return async (delivery) => {
    const scope = scopeOfTenant(delivery);
    const [owners, [names]] = await Promise.all([ownersOf(scope), nameScopes(db, [scope])]);
    const scopeName = [names?.organization, names?.project].filter(Boolean).join(' / ') || appUrl;
    const url = `${appUrl}${consolePathOf(delivery, delivery.webhookId)}`;
    const data = { token: '', url, webhookUrl: delivery.url, scopeName };
    return (await addressesOfPeople(db, owners)).map((to) => {
      const messageId = newId();
      return { type: 'mail.requested', key: messageId, payload: { messageId, to, template: 'webhook-disabled', language: 'en', data } };
    });
  };
}

/**
 * Call it with the scope locked. Returns the ids of events that are to be delivered once this has
 * committed.
 */
export async function disable(tx: Transaction, delivery: Leased, letters: readonly OutgoingEvent[], now: Date): Promise<string[]> {
  const scope = scopeOfTenant(delivery);
  const off = await disableWebhook(tx, delivery.webhookId, new Date(delivery.failingSince ?? now));
  if (off === undefined) return [];
  const { active } = await countWebhooks(tx, scope);
  const ids = await emit(tx, [...letters, ...(active === 0 ? [webhooksWatched(scope, false)] : [])]);
  const request = { id: '', transport: 'grpc', ipAddress: '', userAgent: '', language: 'en', bearerToken: undefined, cookies: {} } as const;
  await writeAudit(
    tx,
    {
      ...{ operation: 'deliverWebhook', action: 'webhook.disabled', outcome: 'ok' },
      entry: { targetType: 'Webhook', targetId: off.id, scope: { tenant: scope.tenant, id: scope.id }, detail: { name: off.url } },
      changes: [{ field: 'isActive', before: true, after: false }],
    },
    {
      ...{ actor: { kind: 'anonymous' }, scope, now },
      request: { ...request, origin: undefined, consistencyToken: undefined, noCache: false },
    },
  );
  return ids;
}
