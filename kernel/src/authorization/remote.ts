import { hash } from 'node:crypto';
import type * as wire from '@tessera/proto/types/rbac.v1';
import { LRUCache } from 'lru-cache';
import { createBatcher } from '../grpc/index.ts';
import { createChanges } from './changes.ts';
import type { Authorizer, Check, CheckOptions, Decision, Subject, Supporter } from './decisions.ts';

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

/** As rbac reads it. */
export function subjectToWire({ actors, ...subject }: Subject): wire.Subject {
  return { ...subject, scopes: subject.scopes ?? [], ...(actors === undefined ? {} : { delegation: { actors: actors.map(actorToWire) } }) };
}

function actorToWire(actor: NonNullable<Subject['actors']>[number]): wire.Actor {
  if ('support' in actor) return supporterToWire(actor);
  const { type, id, clientId, roleId, place } = actor;
  return {
    type,
    id,
    clientId,
    ...(roleId === undefined ? {} : { roleId }),
    ...(place === undefined ? {} : { place: { tenant: place.tenant, id: place.id } }),
  };
}

/** A reader from before knows no actor of this type, and refuses the subject as unauthenticated. */
function supporterToWire({ id, support: { project, organizationId, mayWrite, mayExport } }: Supporter): wire.Actor {
  const place = { tenant: project.tenant, id: project.id };
  return { type: 'supporter', id, place, support: { organizationId, mayWrite, mayExport } };
}

type Cached = { readonly decision: Decision; readonly requestedAt: number; readonly version: number };

function toWire({ subject, scope, resource, action, target }: Check, { noCache = false, ...options }: CheckOptions): wire.Check {
  return {
    subject: subjectToWire(subject),
    scope: { tenant: scope.tenant, id: scope.id },
    resource,
    action,
    targetJson: target === undefined ? '' : JSON.stringify(target),
    noCache,
    ...options,
  };
}

function fromWire({ authorized, reason, requestsPerMinute, connectionId, ...decision }: wire.Decision): Decision {
  return Object.freeze({
    authorized,
    reason,
    ...(requestsPerMinute === undefined ? {} : { requestsPerMinute }),
    ...(connectionId === undefined ? {} : { connectionId }),
    ...(decision.matchedPermissionJson === undefined ? {} : { matchedPermission: JSON.parse(decision.matchedPermissionJson) }),
    ...(decision.matchedConditionJson === undefined ? {} : { matchedCondition: JSON.parse(decision.matchedConditionJson) }),
    ...(decision.evaluatedContextJson === undefined ? {} : { evaluatedContext: JSON.parse(decision.evaluatedContextJson) }),
  });
}

/** All that the decision depends on, as JSON, so that different checks have different keys. */
function keyOf({ subject, scope, resource, action, target }: Check, { ipAddress }: CheckOptions): string {
  const { type, userId, tokenScope, scopes, roleId, actsInGrants, acr, authTime, connection, within, secondFactorIn, actors } = subject;
  const holder = [
    type,
    userId,
    tokenScope,
    scopes,
    roleId,
    actsInGrants,
    acr,
    authTime,
    connection,
    within,
    secondFactorIn,
    ipAddress,
    actors,
  ];
  return hash('sha256', JSON.stringify([...holder, scope.tenant, scope.id, resource, action, target]), 'base64');
}

/** Decisions of rbac, cached for a second at most and never beyond a change of their tenant. */
export function createRemoteAuthorizer({ client, notices, maxAgeMs = 1000, cacheSize = 50_000 }: Options): Authorizer {
  const cache = new LRUCache<string, Cached>({ max: cacheSize });
  const changes = createChanges(maxAgeMs);
  notices.subscribe('tenant-changed', ({ tenantKey }) => changes.note(tenantKey));
  notices.onReconnect(() => changes.noteEverything());

  const request = createBatcher<wire.Check, Decision>({
    maxSize: 1000,
    run: async (checks) => (await client.isAuthorizedMany({ checks, explain: false })).decisions.map(fromWire),
  });

  const isFresh = ({ requestedAt, version }: Cached, scopeId: string): boolean =>
    performance.now() - requestedAt < maxAgeMs && !changes.since(version, scopeId);

  const checkOne = async (check: Check, options: CheckOptions): Promise<Decision> => {
    if (options.noCache || options.consistencyToken !== undefined) return request(toWire(check, options));
    const key = keyOf(check, options);
    const cached = cache.get(key);
    if (cached !== undefined && isFresh(cached, check.scope.id)) return cached.decision;
    const requested = { requestedAt: performance.now(), version: changes.version };
    const decision = await request(toWire(check, options));
    cache.set(key, { decision, ...requested });
    return decision;
  };

  return { check: (checks, options = {}) => Promise.all(checks.map((check) => checkOne(check, options))) };
}
