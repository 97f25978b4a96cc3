/** The rules of webhooks that need neither database nor network. */
import { type ParsedScope, parseScope } from '@tessera/kernel/scope';

export const outcomes = ['ok', 'refused', 'failed'] as const;
export type Outcome = (typeof outcomes)[number];

export const deliveryStatuses = ['waiting', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** Why an attempt failed. `status`: the answer was not 2xx; a redirect is such an answer. */
export const attemptErrors = ['status', 'timeout', 'connection', 'tls', 'no_public_address'] as const;
export type AttemptError = (typeof attemptErrors)[number];

export type Attempt = {
  readonly at: string;
  readonly status: number | null;
  readonly durationMs: number;
  readonly error: AttemptError | null;
};

/** Standing for every event type. */
export const anyEvent = '*';
export const testEvent = 'webhook.test';

export const mostWebhooksOfScope = 20;
/** The latest ones are kept. */
export const mostAttemptsKept = 30;
/** A secret that was replaced is good for this long. */
export const olderSecretHours = 24;

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const firstDelaysMs = [5 * secondMs, 30 * secondMs, 5 * minuteMs, 30 * minuteMs, 2 * hourMs];
const laterDelayMs = 5 * hourMs;
export const giveUpAfterMs = 72 * hourMs;

/**
 * When a delivery that has failed `tries` times is attempted again; undefined when three days are
 * over. Up to a tenth is added by chance, so that a target that comes back is not flooded.
 */
export function nextAttemptAt(tries: number, begunAt: Date, now: Date, random = Math.random()): Date | undefined {
  const delayMs = (firstDelaysMs[tries - 1] ?? laterDelayMs) * (1 + random / 10);
  const at = now.getTime() + delayMs;
  return at - begunAt.getTime() > giveUpAfterMs ? undefined : new Date(at);
}

/** Whether a target that has failed since then is switched off. */
export function isGivenUp(failingSince: Date | undefined, now: Date): boolean {
  return failingSince !== undefined && now.getTime() - failingSince.getTime() >= giveUpAfterMs - laterDelayMs * 1.1;
}

export type UrlFault = 'form' | 'scheme' | 'private';

const longestUrl = 2_048;

/** Why an address cannot be a target. Names are resolved later, for each connection. */
export function urlFaultOf(address: string, allowPrivate: boolean): UrlFault | undefined {
  const url = address.length <= longestUrl && !/[\s\p{C}]/u.test(address) ? URL.parse(address) : null;
  if (url === null || url.username !== '' || url.password !== '' || address.includes('#') || url.hostname === '') return 'form';
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) return 'scheme';
  return undefined;
}

export type Tenant = { readonly organizationId: string | null; readonly accountId: string | null; readonly projectId: string | null };

/** The scope that a row's tenant columns name. */
export function scopeOfTenant({ organizationId, accountId, projectId }: Tenant): ParsedScope {
  const parentId = organizationId ?? accountId ?? '';
  if (projectId === null) return parseScope({ tenant: 'organization', id: parentId });
  return parseScope({ tenant: organizationId === null ? 'accountProject' : 'organizationProject', id: `${parentId}:${projectId}` });
}

/** Where the console shows a webhook. */
export function consolePathOf({ organizationId, accountId, projectId }: Tenant, webhookId: string): string {
  const parent = organizationId === null ? `acc/${accountId}` : `org/${organizationId}`;
  return `/console/${parent}${projectId === null ? '' : `/prj/${projectId}`}/webhooks/${webhookId}`;
}
