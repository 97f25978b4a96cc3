import { callerOf, scopeOf } from '@tessera/kernel/operation';
import type { Subject } from '@tessera/proto/types/rbac.v1';
import { errors } from '../errors.ts';
import type { Context } from './related.ts';

/** The caller, as rbac is told of them. */
export function actorOf(context: Context): Subject {
  const { subject } = callerOf(context);
  return { ...subject, scopes: subject.scopes ?? [] };
}

export function wireScope(context: Context) {
  const { tenant, id } = scopeOf(context);
  return { tenant, id };
}

/** 404 for a role that does not exist here, 403 for one that the caller may not give: rbac decides, by existence, rank and escalation. */
export async function requireGrantable(roleId: string, context: Context): Promise<void> {
  const { verdicts } = await context.deps.roles.checkGrant({
    actor: actorOf(context),
    scope: wireScope(context),
    roleIds: [roleId],
    givenTo: 'user',
  });
  const verdict = verdicts.find((one) => one.roleId === roleId)?.verdict;
  if (verdict === 'allowed') return;
  throw verdict === undefined || verdict === 'not-found'
    ? errors.roleNotFound({ extensions: { resource: 'Role' } })
    : errors.roleAboveOwn();
}
