import { hash } from 'node:crypto';
import type * as wire from '@tessera/proto/types/rbac.v1';
import { LRUCache } from 'lru-cache';
import { createBatcher } from '../grpc/index.ts';
import { createChanges } from './changes.ts';
import type { Authorizer, Check, CheckOptions, Decision } from './decisions.ts';

type Notices = {
  subscribe(topic: 'tenant-changed', handler: (payload: { tenantKey: string }) => void): unknown;
  onReconnect(handler: () => void): unknown;
};

type Options = {
  readonly client: { isAuthorizedMany(request: wire.CheckMany): Promise<wire.DecisionMany> };
  readonly notices: Notices;
  readonly maxAgeMs?: number;
  readonly cacheSize?: number;
};

type Cached = { readonly decision: Decision; readonly askedAt: number; readonly version: number };

/** As many as rbac takes in one call. */
const MAX_CHECKS = 1000;

function toWire({ subject, scope, resource, action, target }: Check, { noCache = false, consistencyToken }: CheckOptions): wire.Check {
  return {
    subject: { ...subject, scopes: subject.scopes ?? [] },
    scope: { tenant: scope.tenant, id: scope.id },
    resource,
    action,
    targetJson: target === undefined ? '' : JSON.stringify(target),
    noCache,
    consistencyToken,
  };
}

function fromWire(decision: wire.Decision): Decision {
  return Object.freeze({
    authorized: decision.authorized,
    reason: decision.reason,
    ...(decision.matchedPermissionJson === undefined ? {} : { matchedPermission: JSON.parse(decision.matchedPermissionJson) }),
    ...(decision.matchedConditionJson === undefined ? {} : { matchedCondition: JSON.parse(decision.matchedConditionJson) }),
    ...(decision.evaluatedContextJson === undefined ? {} : { evaluatedContext: JSON.parse(decision.evaluatedContextJson) }),
  });
}

/** Everything the answer depends on, without a way to spell two questions alike. */
function keyOf({ subject: { type, userId, tokenScope, scopes, roleId }, scope, resource, action, target }: Check): string {
  return hash(
    'sha256',
    JSON.stringify([type, userId, tokenScope, scopes, roleId, scope.tenant, scope.id, resource, action, target]),
    'base64',
  );
}

/**
 * Asks rbac, in batches. An answer may be used again for a second at most, and not at all once its tenant has changed —
 * also when the change is announced while the question is on its way.
 */
export function createRemoteAuthorizer({ client, notices, maxAgeMs = 1000, cacheSize = 50_000 }: Options): Authorizer {
  const cache = new LRUCache<string, Cached>({ max: cacheSize });
  const changes = createChanges(maxAgeMs);
  notices.subscribe('tenant-changed', ({ tenantKey }) => changes.note(tenantKey));
  notices.onReconnect(() => changes.noteEverything());

  const ask = createBatcher<wire.Check, Decision>({
    maxSize: MAX_CHECKS,
    run: async (checks) => (await client.isAuthorizedMany({ checks, explain: false })).decisions.map(fromWire),
  });

  const checkOne = async (check: Check, options: CheckOptions): Promise<Decision> => {
    if (options.noCache || options.consistencyToken !== undefined) return ask(toWire(check, options));
    const key = keyOf(check);
    const cached = cache.get(key);
    const isGood = cached !== undefined && performance.now() - cached.askedAt < maxAgeMs && !changes.since(cached.version, check.scope.id);
    if (isGood) return cached.decision;
    const asked = { askedAt: performance.now(), version: changes.version };
    const decision = await ask(toWire(check, options));
    cache.set(key, { decision, ...asked });
    return decision;
  };

  return { check: (checks, options = {}) => Promise.all(checks.map((check) => checkOne(check, options))) };
}
