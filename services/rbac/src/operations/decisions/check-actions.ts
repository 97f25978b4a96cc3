import type { ParsedScope } from '@tessera/kernel/scope';
import type { RbacDeps } from '../../deps.ts';
import { actionsNotHeld, giverOf } from '../../domain/escalation.ts';
import type { Subject } from '../../domain/subject.ts';
import { resourceTable } from '../../storage/entity-tables.ts';
import { listAll } from '../../storage/scoped-entity.ts';

type Asked = { readonly actor: Subject; readonly scope: ParsedScope; readonly actions: readonly string[] };
type Verdict = { readonly action: string; readonly verdict: 'allowed' | 'not-found' | 'escalation' };

/**
 * Whether the actor may list these actions in a project app or key. Asked before the service that
 * stores the list writes it.
 */
export async function checkActions(deps: RbacDeps, { actor, scope, actions }: Asked): Promise<Verdict[]> {
  const loaded = await deps.decider.rightsOf(actor, scope, { noCache: true });
  if (loaded === undefined) return actions.map((action) => ({ action, verdict: 'not-found' }));
  const resources = await resourcesOf(deps, scope);
  const known = new Set(resources.flatMap(({ slug, actions: own }) => own.map((action) => `${slug}:${action}`)));
  const giver = giverOf(loaded.rights, actor);
  return actions.map((name) => {
    if (!known.has(name)) return { action: name, verdict: 'not-found' };
    const [resource = '', action = ''] = name.split(':');
    const isHeld = actionsNotHeld(giver, [{ resource, action, condition: null }]).length === 0;
    return { action: name, verdict: isHeld ? 'allowed' : 'escalation' };
  });
}

/** What each action does, by the name of its resource: 'Order: read'. Empty for unknown ones. */
export async function describeActions(deps: RbacDeps, scope: ParsedScope, actions: readonly string[]): Promise<string[]> {
  const described = new Map<string, string>(
    (await resourcesOf(deps, scope)).flatMap(({ slug, name, description, actions: own }) =>
      own.map((action) => [`${slug}:${action}`, `${name}: ${action}${description ? ` (${description})` : ''}`] as const),
    ),
  );
  return actions.map((action) => described.get(action) ?? '');
}

function resourcesOf({ database }: RbacDeps, scope: ParsedScope) {
  return database.scoped(scope, (tx) => listAll(tx, resourceTable, scope), { readOnly: true });
}
