import { failures } from '@tessera/kernel/errors';
import type { Scope } from '@tessera/kernel/scope';
import type * as wire from '@tessera/proto/types/rbac.v1';
import { type Json, jsonRecord } from '@tessera/rules/condition';
import type { Answer, Check, Decider } from '../../decisions/decider.ts';
import { encodeConsistency } from '../../domain/consistency.ts';
import { type Decision, type Reason, reasons } from '../../domain/decision.ts';
import { effectiveScope, type Subject } from '../../domain/subject.ts';
import { grantsOfAll, grantsWithin } from '../../operations/decisions/list-permissions.ts';
import { presentCondition, presentPermission } from '../../operations/decisions/matched-permission.ts';
import { presentContext } from '../../operations/decisions/present.ts';

const noTarget: Readonly<Record<string, Json>> = Object.freeze({});

function readTarget(json: string): Readonly<Record<string, Json>> {
  if (json === '') return noTarget;
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return jsonRecord(value);
  } catch {
    // Text that is no JSON is refused below, like JSON that is no object.
  }
  throw failures.badInput({ extensions: { field: 'target_json' } });
}

/** Of a search: `target_json`, the page, and what its answer must have seen. */
type SearchMessage = {
  readonly targetJson: string;
  readonly consistencyToken?: string | undefined;
  readonly cursor: string;
  readonly limit: number;
};
const longestPage = 1_000;

export function readSearch({ targetJson, consistencyToken, cursor, limit }: SearchMessage) {
  if (limit > longestPage)
    throw failures.validation('limit', { en: `must be at most ${longestPage}`, de: `darf höchstens ${longestPage} sein` });
  return { target: readTarget(targetJson), consistencyToken, cursor: cursor === '' ? undefined : cursor, limit: limit === 0 ? 100 : limit };
}

/** A check without its subject and scope. */
export function readQuestion({ resource, action, targetJson, consistencyToken, noCache }: wire.Check): Omit<Check, 'subject' | 'scope'> {
  return { resource, action, target: readTarget(targetJson), consistencyToken, noCache };
}

/** One response for each reason, made once: a decision without explanation allocates nothing. */
const plain = Object.fromEntries(
  reasons.map((reason) => [reason, Object.freeze({ authorized: reason.startsWith('PERMISSION_GRANTED'), reason })]),
) as Readonly<Record<Reason, wire.Decision>>;
export function toWire({ reason }: Decision): wire.Decision {
  return plain[reason];
}

/** To a service, which counts what its operation's caller sends. */
export function toService({ reason, requestsPerMinute, connectionId }: Decision): wire.Decision {
  if (connectionId !== undefined) return { ...plain[reason], connectionId };
  return requestsPerMinute === undefined ? plain[reason] : { ...plain[reason], requestsPerMinute };
}

export function explained({ decision, question, refusedBy }: Answer): wire.Decision {
  const { grant } = decision;
  const refusal = refusedBy === undefined ? {} : { refusedBy };
  if (grant === undefined) return { ...toWire(decision), ...refusal };
  return {
    ...toWire(decision),
    ...refusal,
    matchedPermissionJson: JSON.stringify(presentPermission(grant)),
    ...(grant.condition === null ? {} : { matchedConditionJson: JSON.stringify(presentCondition(grant)) }),
    evaluatedContextJson: JSON.stringify(presentContext(grant, question)),
  };
}

/** Everything that the subject may do in the scope; nothing for an invalid scope. */
export async function listGranted(
  decider: Decider,
  subject: Subject,
  scope: Scope | undefined,
  consistencyToken: string | undefined,
): Promise<wire.ListPermissionsResponse> {
  const loaded = await decider.rightsOf(subject, scope, { consistencyToken });
  const effective = loaded && effectiveScope(subject, scope);
  if (loaded === undefined || effective === undefined) return { permissions: [], consistencyToken: '' };
  const granted = await grantsOfAll(grantsWithin(loaded.rights, subject), subject, {
    scope: effective,
    decider,
    freshness: { consistencyToken },
  });
  return {
    permissions: granted.map(({ resource, action, condition }) => ({
      resource,
      action,
      ...(condition === null ? {} : { conditionJson: JSON.stringify(condition) }),
    })),
    consistencyToken: encodeConsistency({ ...effective, version: loaded.versions.own }),
  };
}
