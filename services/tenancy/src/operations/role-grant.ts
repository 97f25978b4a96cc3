import { subjectToWire } from '@tessera/kernel/authorization';
import { callerOf, scopeOf } from '@tessera/kernel/operation';
import type { Subject } from '@tessera/proto/types/rbac.v1';
import { errors } from '../errors.ts';
import type { Context } from './related.ts';

/** The caller as a message for rbac. */
export function callerMessage(context: Context): Subject {
  return subjectToWire(callerOf(context).subject);
}

/** The request's scope as a message for other services. */
export function scopeMessage(context: Context) {
  const { tenant, id } = scopeOf(context);
  return { tenant, id };
}

/**
 * 404 for a role that does not exist in the scope, 403 for a role that the caller may not grant.
 * rbac decides by rank and escalation rules.
 */
export async function requireGrantableRole(roleId: string, context: Context): Promise<void> {
  const { verdicts } = await context.deps.roles.checkGrant({
    actor: callerMessage(context),
    scope: scopeMessage(context),
    roleIds: [roleId],
    givenTo: 'user',
  });
  const verdict = verdicts.find((one) => one.roleId === roleId)?.verdict;
  if (verdict === 'allowed') return;
  throw verdict === undefined || verdict === 'not-found'
    ? errors.roleNotFound({ extensions: { resource: 'Role' } })
    : errors.roleAboveOwn();
}
