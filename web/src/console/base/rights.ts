import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Output } from '@tessera/client';
import { parseCondition } from '@tessera/rules/condition';
import { type Me, queries, tessera } from '../../session/tessera.ts';
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

function rightsQuery(scope: Scope | undefined) {
  return queryOptions({
    queryKey: ['console', 'rights', scope],
    queryFn: () => tessera.listPermissions(scope === undefined ? {} : { scope }),
    enabled: scope !== undefined,
  });
}

/** Asks for the rights while the profile is still on its way; without a session for nothing. */
export function startRights(scope: Scope): void {
  const ask = async () => {
    if ((await tessera.session.token()) !== undefined) await queries.prefetchQuery(rightsQuery(scope));
  };
  // The screen asks again, and shows what is wrong.
  ask().catch(() => undefined);
}

/** All that the caller may do in a scope, asked once: what they may not do is not offered. */
export function useRightsIn(scope: Scope | undefined): Rights {
  const me = useMe();
  const { data, isLoading, error } = useQuery(rightsQuery(scope));
  const held = data?.permissions ?? [];
  const may = (wanted: string, thing?: Thing) => held.some((permission) => grants(permission, wanted, me, thing));
  return { isPending: isLoading, error, may };
}

export function useRights(): Rights {
  const place = usePlace();
  return useRightsIn(place === undefined ? undefined : scopeOf(place));
}

function grants({ resource, action, condition }: Permission, wanted: string, { user, acr }: Me, thing: Thing | undefined): boolean {
  if (`${resource}:${action}` !== wanted) return false;
  if (condition === null) return true;
  // Without a thing: something that one would own.
  const about = thing ?? { createdBy: user.id, id: user.id };
  // The address is known to the server only.
  const context = { time: new Date().toISOString(), acr };
  return parseCondition(condition).holds({ user: { id: user.id }, role: {}, group: {}, resource: about, context });
}
