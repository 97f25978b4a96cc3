import { failures } from '@tessera/kernel/errors';
import { assertReachable } from '@tessera/kernel/guard';
import {
  callerOf,
  entityFields,
  freshnessOf,
  type HandleContext,
  Id,
  LineOf,
  Nullable,
  type OperationContext,
  scopeOf,
  strict,
  Timestamp,
} from '@tessera/kernel/operation';
import type { ParsedScope } from '@tessera/kernel/scope';
import { auditActions } from '@tessera/proto/audit-actions';
import Type from 'typebox';
import type { TenancyDeps } from '../../deps.ts';
import type { Voucher } from '../../domain/voucher.ts';
import { anyEvent, attemptErrors, deliveryStatuses, outcomes, testEvent, urlFaultOf } from '../../domain/webhook.ts';
import { webhooksWatched } from '../../events.ts';
import type * as storage from '../../storage/webhooks.ts';
import { countWebhooks } from '../../storage/webhooks.ts';

/** Organizations and projects have webhooks; accounts have none of their own. */
export const webhookScopes = ['organization', 'accountProject', 'organizationProject'] as const;

export const webhookFields = {
  url: Type.String({
    minLength: 1,
    maxLength: 2_048,
    description: 'https, on the public internet',
    examples: ['https://example.com/hooks'],
  }),
  eventTypes: Type.Array(Type.String({ minLength: 1, maxLength: 100, examples: ['role.created'] }), {
    minItems: 1,
    maxItems: 100,
    uniqueItems: true,
    description: '`*`, or actions of the audit log',
  }),
  outcomes: Type.Array(Type.Enum([...outcomes]), { minItems: 1, maxItems: 3, uniqueItems: true, description: 'default `ok` only' }),
  description: LineOf(500),
  isActive: Type.Boolean(),
};

export const Webhook = strict(
  {
    ...entityFields,
    ...webhookFields,
    disabledAt: Nullable(Timestamp),
    failingSince: Nullable(Timestamp),
    createdBy: Id,
    voucher: Nullable(
      strict(
        {
          type: Type.Enum(['session', 'apiKey', 'app', 'serviceAccount']),
          userId: Nullable(Id),
          apiKeyId: Nullable(Id),
          appId: Nullable(Id),
          at: Timestamp,
          endedAt: Nullable(Timestamp),
          until: Nullable(Timestamp),
        },
        {
          description:
            'Who last directed the webhook, and by what. `endedAt`: it no longer may. `until`: the webhook goes on that long, unless a person vouches',
        },
      ),
    ),
  },
  { description: 'Tells an address what happens. `disabledAt`: it was switched off, because it had failed for three days' },
);

export const WebhookSecret = Type.String({ secret: true, description: 'Shown once', examples: ['whsec_'] });

const AttemptSchema = strict({
  at: Timestamp,
  status: Nullable(Type.Integer({ description: 'Of the answer; null without one' })),
  durationMs: Type.Integer(),
  error: Nullable(Type.Enum([...attemptErrors])),
});

export const DeliveryStatusSchema = Type.Enum([...deliveryStatuses]);

export const WebhookDelivery = strict({
  id: Type.String({ description: 'The webhook-id of all its attempts' }),
  eventType: Type.String({ examples: ['role.created'] }),
  auditId: Nullable(Type.String({ description: 'Of the audit event; null for a test' })),
  at: Timestamp,
  status: DeliveryStatusSchema,
  attempts: Type.Array(AttemptSchema, { description: 'At most the latest 30' }),
  nextAttemptAt: Nullable(Timestamp),
});

type Row = Pick<storage.Webhook, 'voucher' | 'vouchedAt' | 'voucherEndedAt' | 'vouchedUntil' | 'createdAt'>;

/** What is shown of a webhook: of its voucher, who and by what. */
export function present<Webhook extends Row>({ voucher, vouchedAt, voucherEndedAt, vouchedUntil, ...webhook }: Webhook) {
  if (voucher === null) return { ...webhook, voucher };
  const { type, userId, tokenId, appId } = voucher;
  const times = { at: vouchedAt ?? webhook.createdAt, endedAt: voucherEndedAt, until: vouchedUntil };
  const byApp = { type: 'app', userId: appId === userId ? null : userId, apiKeyId: null, appId: appId ?? null } as const;
  const byPerson = { type: 'session', userId, apiKeyId: null, appId: null } as const;
  const byKey = { type: 'apiKey', userId, apiKeyId: tokenId, appId: null } as const;
  if (type === 'serviceAccount') return { ...webhook, voucher: { ...byPerson, type, ...times } } as const;
  const by = appId !== undefined ? byApp : type === 'session' ? byPerson : byKey;
  return { ...webhook, voucher: { ...by, ...times } };
}

/** What makes or directs a webhook reads the log by it, later and elsewhere. */
export function vouch(context: OperationContext<TenancyDeps>): Promise<Voucher> {
  return context.deps.vouchers.of(callerOf(context).subject, scopeOf(context), freshnessOf(context));
}

type Given = { readonly url?: string | undefined; readonly eventTypes?: readonly string[] | undefined };

const known = new Set<string>([anyEvent, ...auditActions]);
const faults = {
  form: { en: 'must be a URL without user, password and fragment', de: 'muss eine URL ohne Benutzer, Passwort und Fragment sein' },
  scheme: { en: 'must be an https address', de: 'muss eine https-Adresse sein' },
  private: { en: 'must be an address on the public internet', de: 'muss eine Adresse im öffentlichen Internet sein' },
};

/** Names in an address are resolved for each connection, and checked then. */
export function assertWebhook({ url, eventTypes = [] }: Given, { webhooks: { allowPrivate } }: TenancyDeps): void {
  const fault = url === undefined ? undefined : (urlFaultOf(url, allowPrivate) ?? (isRefused(url, allowPrivate) ? 'private' : undefined));
  if (fault !== undefined) throw failures.validation('url', faults[fault]);
  const unknown = eventTypes.findIndex((name) => !known.has(name));
  if (unknown !== -1)
    throw failures.validation(`eventTypes.${unknown}`, {
      en: `is no action of the audit log. Some are role.created, user.updated; ${testEvent} is sent by a test`,
      de: `ist keine Aktion des Audit-Logs. Beispiele sind role.created und user.updated; ${testEvent} sendet ein Test`,
    });
}

function isRefused(url: string, allowPrivate: boolean): boolean {
  try {
    assertReachable(url, allowPrivate);
    return !allowPrivate && /(^|\.)localhost\.?$/.test(new URL(url).hostname);
  } catch {
    return true;
  }
}

/** Tells the services when a scope gets its first active webhook, or loses its last. */
export async function emitWatch(
  scope: ParsedScope,
  activeBefore: number,
  { tx, emit }: Pick<HandleContext<TenancyDeps>, 'tx' | 'emit'>,
): Promise<void> {
  const { active } = await countWebhooks(tx, scope);
  if (active > 0 !== activeBefore > 0) emit(webhooksWatched(scope, active > 0));
}
