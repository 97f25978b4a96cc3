import { callerOf, Nullable, strict } from '@tessera/kernel/operation';
import { type Scope, tenants } from '@tessera/kernel/scope';
import Type from 'typebox';
import type { Decider, FreshnessOptions } from '../../decisions/decider.ts';
import { operation } from '../../deps.ts';
import { encodeConsistency } from '../../domain/consistency.ts';
import { rightsFor } from '../../domain/decision.ts';
import { holderOf } from '../../domain/delegation.ts';
import { type Grant, listGrants, type Rights } from '../../domain/rights.ts';
import { capOf, effectiveScope, type Subject } from '../../domain/subject.ts';
import { covers, isWithin, supportPermission } from '../../domain/support.ts';
import { optionalScope, ownQuestions } from './input.ts';
import { MatchedPermission, presentCondition, presentPermission } from './matched-permission.ts';

/** The grants whose action each actor of the subject holds, too. */
export async function grantsOfAll(
  grants: readonly Grant[],
  subject: Subject,
  { scope, decider, freshness }: { readonly scope: Scope; readonly decider: Decider; readonly freshness: FreshnessOptions },
): Promise<readonly Grant[]> {
  let left = grants;
  for (const actor of subject.actors ?? []) {
    const { support } = actor;
    if (support !== undefined) {
      const asked = { subject: { type: 'session', userId: actor.id }, scope: support.project, ...supportPermission, target: {} } as const;
      const mayUse = isWithin(support, scope) && (await decider.decide({ ...asked, ...freshness, isOwn: true })).authorized;
      left = mayUse ? left.filter(({ resource, action }) => covers(support, resource, action)) : [];
    }
    const holder = holderOf(actor);
    const own = holder && (await decider.rightsOf(holder, scope, freshness));
    left = left.filter(
      ({ resource, action }) =>
        (holder === undefined || (own !== undefined && rightsFor(own.rights, resource, action) !== undefined)) &&
        (actor.cap === undefined || actor.cap.includes(`${resource}:${action}`)),
    );
  }
  return left;
}

/** The grants of a subject that its token's cap allows. */
export function grantsWithin(rights: Rights, subject: Subject): Grant[] {
  const cap = capOf(subject);
  const grants = listGrants(rights);
  return cap === undefined ? grants : grants.filter(({ resource, action }) => cap.includes(`${resource}:${action}`));
}

export const listOwnPermissions = operation({
  name: 'listPermissions',
  summary: 'Everything that the caller may do in a scope, with the condition where there is one.',
  kind: 'query',
  input: strict(optionalScope),
  output: Type.Object({
    permissions: Type.Array(
      Type.Object({
        resource: Type.String(),
        action: Type.String(),
        condition: Nullable(Type.Record(Type.String(), Type.Unknown())),
        matchedPermission: MatchedPermission,
      }),
    ),
    consistencyToken: Nullable(Type.String()),
  }),
  access: ownQuestions,
  support: 'allowed',
  scopes: tenants,
  verification: 'by-scope',
  isolation: { none: 'the decision reads its rights in one statement of its own, as the restricted role' },
  errors: [],
  audit: { none: 'reads leave no trace' },
  events: [],
  rest: { method: 'GET', path: '/api/auth/permissions' },
  graphql: { field: 'listPermissions', type: 'GrantedPermissions' },
  handle: async (input, { deps, request, ...context }) => {
    const { subject } = callerOf(context);
    const loaded = await deps.decider.rightsOf(subject, input.scope, request);
    const scope = loaded && effectiveScope(subject, input.scope);
    if (loaded === undefined || scope === undefined) return { permissions: [], consistencyToken: null };
    const granted = await grantsOfAll(grantsWithin(loaded.rights, subject), subject, { scope, decider: deps.decider, freshness: request });
    return {
      permissions: granted.map((grant) => ({
        resource: grant.resource,
        action: grant.action,
        condition: presentCondition(grant),
        matchedPermission: presentPermission(grant),
      })),
      consistencyToken: encodeConsistency({ ...scope, version: loaded.versions.own }),
    };
  },
});
