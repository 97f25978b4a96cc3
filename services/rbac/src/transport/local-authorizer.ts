import type { Authorizer } from '@tessera/kernel/authorization';
import type { Json } from '../domain/condition.ts';
import type { Decider } from '../operations/decisions/decider.ts';

/** rbac's own operations ask themselves, without the wire. */
export function localAuthorizer(decider: Decider): Authorizer {
  return {
    check: (checks, { noCache, consistencyToken } = {}) =>
      Promise.all(
        checks.map(({ target, ...check }) =>
          decider.decide({ ...check, target: (target ?? {}) as Readonly<Record<string, Json>>, noCache, consistencyToken }),
        ),
      ),
  };
}
