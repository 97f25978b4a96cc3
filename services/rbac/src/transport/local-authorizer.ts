import type { Authorizer } from '@tessera/kernel/authorization';
import { jsonRecord } from '@tessera/rules/condition';
import type { Decider } from '../decisions/decider.ts';

/** rbac's own operations ask the decider directly, without gRPC. */
export function localAuthorizer(decider: Decider): Authorizer {
  return {
    check: (checks, options = {}) =>
      Promise.all(
        checks.map(({ target, ...check }) => decider.decide({ ...check, target: jsonRecord(target ?? {}), ...options, isOwn: true })),
      ),
  };
}
