import { LRUCache } from 'lru-cache';

/** Calls back with the changed tenant's key, or without one when any tenant may have changed. */
export type TenantChanges = (onChange: (tenantKey?: string) => void) => () => void;

type Subscription = { unsubscribe(): void };
type NatsConnection = {
  subscribe(subject: string, options: { callback: (error: Error | null, message: { json(): unknown }) => void }): Subscription;
};

/**
 * The platform's notices over a connection of @nats-io/transport-node, which stays yours to close.
 * A forged notice can do no more than empty this cache, so its signature is not checked.
 */
export function natsChanges(connection: NatsConnection): TenantChanges {
  return (onChange) => {
    const subscription = connection.subscribe('tessera.tenant-changed.v1', {
      callback: (error, message) => onChange(error === null ? tenantKeyOf(message) : undefined),
    });
    return () => subscription.unsubscribe();
  };
}

function tenantKeyOf(message: { json(): unknown }): string | undefined {
  try {
    const { payload } = message.json() as { readonly payload?: { readonly tenantKey?: unknown } };
    return typeof payload?.tenantKey === 'string' ? payload.tenantKey : undefined;
  } catch {
    return undefined;
  }
}

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Says whether a tenant has changed since a moment. Moments are numbers that grow. */
export function createChangeLog(keepMs: number) {
  let now = 0;
  let everythingAt = 0;
  const changedAt = new LRUCache<string, number>({
    max: 100_000,
    ttl: 2 * keepMs,
    dispose: (lost, _id, why) => {
      if (why === 'evict') everythingAt = Math.max(everythingAt, lost);
    },
  });
  return {
    now: (): number => now,
    note(tenantKey = ''): void {
      now += 1;
      const ids = tenantKey.match(uuid);
      if (ids === null) everythingAt = now;
      for (const id of ids ?? []) changedAt.set(id, now);
    },
    /** Without a scope the answer is about the credential's own, which this does not know. */
    hasChangedSince: (moment: number, scopeId: string | undefined): boolean =>
      everythingAt > moment || (scopeId === undefined ? now > moment : scopeId.split(':').some((id) => (changedAt.get(id) ?? 0) > moment)),
  };
}
