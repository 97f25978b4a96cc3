import { useQuery } from '@tanstack/react-query';
import type { Output } from '@tessera/client';
import { parseCondition } from '../../../../services/rbac/src/domain/condition.ts';
import { tessera } from '../../session/tessera.ts';
import { useMe } from './me.tsx';
import { type Scope, scopeOf, usePlace } from './scope.ts';

type Permission = Output<'listPermissions'>['permissions'][number];
/** What is to be done with, as a condition reads it: `createdBy` decides what is one's own. */
type Thing = Readonly<Record<string, string | null>>;
export type Rights = {
  readonly isPending: boolean;
  readonly error: unknown;
  /** Whether the caller may do this here: `Role:Create`. With a thing, whether to this one. */
  readonly may: (permission: string, thing?: Thing) => boolean;
};

/** All that the caller may do in a scope, asked once: what they may not do is not offered. */
export function useRightsIn(scope: Scope | undefined): Rights {
  const { user } = useMe();
  const { data, isLoading, error } = useQuery({
    queryKey: ['console', 'rights', scope],
    queryFn: () => tessera.listPermissions(scope === undefined ? {} : { scope }),
    enabled: scope !== undefined,
  });
  const held = data?.permissions ?? [];
  const may = (wanted: string, thing?: Thing) => held.some((permission) => grants(permission, wanted, user.id, thing));
  return { isPending: isLoading, error, may };
}

export function useRights(): Rights {
  const place = usePlace();
  return useRightsIn(place === undefined ? undefined : scopeOf(place));
}

function grants({ resource, action, condition }: Permission, wanted: string, userId: string, thing: Thing | undefined): boolean {
  if (`${resource}:${action}` !== wanted) return false;
  if (condition === null) return true;
  // Without a thing: something that one would own.
  const about = thing ?? { createdBy: userId, id: userId };
  return parseCondition(condition).holds({ user: { id: userId }, role: {}, group: {}, resource: about });
}
