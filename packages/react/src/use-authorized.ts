import { useEffect, useSyncExternalStore } from 'react';
import { type Asked, type Authorized, pending } from './decisions.ts';
import { useProvided } from './provider.ts';

/** May the person do this? All questions of one render go in one request. */
export function useAuthorized(asked: Asked): Authorized {
  const { decisions, organization } = useProvided();
  const chosen = organization.id === undefined ? undefined : organization.scopeOf(organization.id);
  const scope = asked.scope ?? chosen;
  const key = JSON.stringify([scope?.tenant, scope?.id, asked.resource, asked.action, asked.context]);
  const answer = useSyncExternalStore(
    decisions.subscribe,
    () => decisions.read(key),
    () => pending,
  );
  // After a change those who show an answer are drawn again, and ask anew.
  useSyncExternalStore(decisions.subscribe, decisions.round, decisions.round);
  useEffect(() => decisions.ask(key, scope === undefined ? asked : { ...asked, scope }));
  return answer;
}

/** Forgets what was answered, after a change that this client did not make. */
export function useForgetDecisions(): () => void {
  return useProvided().decisions.clear;
}
