import { failures } from '../errors/index.ts';
import { isId } from '../ids/index.ts';
import { type ParsedScope, rootId } from '../scope/index.ts';
import { type Asked, ask } from './flight.ts';
import { composed } from './statement.ts';

/** What the policies of the pivots go by. Every connection opens with each of them empty, and '' matches no row. */
export const settingNames = ['current_organization_id', 'current_project_id', 'current_account_id', 'current_tenant_ids'] as const;

export type Settings = { readonly [Name in (typeof settingNames)[number]]?: string | readonly string[] | undefined };

export function settingsOfScope({ organizationId, projectId, accountId }: ParsedScope): Settings {
  return {
    current_organization_id: organizationId,
    current_project_id: projectId,
    current_account_id: accountId,
  };
}

function ownTenant({ projectId, organizationId, accountId }: ParsedScope): Settings {
  return projectId === undefined
    ? { current_organization_id: organizationId, current_account_id: accountId }
    : { current_project_id: projectId };
}

/**
 * Of each scope its own tenant alone: a project, or else the organization or the account. A single one has a setting of its own, which is
 * cheaper than a list.
 */
export function settingsOfScopes(scopes: readonly ParsedScope[]): Settings {
  const [only, another] = scopes;
  return only !== undefined && another === undefined
    ? ownTenant(only)
    : { current_tenant_ids: [...new Set(scopes.map((scope) => scope.projectId ?? rootId(scope)))] };
}

type Pair = readonly [name: string, value: string];

/** What is not set stays empty: settings end with their transaction. */
function pairsOf(settings: Settings): Pair[] {
  const pairs: Pair[] = [];
  for (const name of settingNames) {
    const given = settings[name] ?? [];
    const ids = typeof given === 'string' ? [given] : given;
    if (!ids.every(isId)) throw failures.validation('scope.id', 'a UUID');
    if (ids.length > 0) pairs.push([`app.${name}`, ids.join(',')]);
  }
  return pairs;
}

/** The role and the settings of a transaction as one statement, in which the ids are parameters; nothing where there are none. */
export function enter(role: string | undefined, settings: Settings, ...others: readonly string[]): readonly Asked[] {
  const pairs = pairsOf(settings);
  const calls = [
    ...others,
    ...(role === undefined ? [] : [`set_config('role', '${role}', true)`]),
    ...pairs.map(([name], at) => `set_config('${name}', $${at + 1}, true)`),
  ];
  if (calls.length === 0) return [];
  return [
    ask(
      composed(`SELECT ${calls.join(', ')}`),
      pairs.map(([, value]) => value),
    ),
  ];
}

export function enterReading(role: string | undefined, settings: Settings, ...others: readonly string[]): readonly Asked[] {
  return enter(role, settings, `set_config('transaction_read_only', 'on', true)`, ...others);
}

const plannedOnce = `set_config('plan_cache_mode', 'force_generic_plan', true)`;

/** One plan serves lists of any length: short ones would be planned anew each time, which costs more than reading them. */
export function enterLists(role: string | undefined, scopes: readonly ParsedScope[]): readonly Asked[] {
  return enterReading(role, settingsOfScopes(scopes), plannedOnce);
}

// A plan for no tenant in particular would sort: most are small, and the largest would wait for it.
const inOrder = ['enable_sort', 'enable_seqscan', 'enable_bitmapscan'].map((name) => `set_config('${name}', 'off', true)`);

/** One plan serves tenants of any size: it reads what it can in the order of an index. */
export function enterOrdered(role: string | undefined, settings: Settings): readonly Asked[] {
  return enterReading(role, settings, plannedOnce, ...inOrder);
}
