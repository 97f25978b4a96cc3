import { failures } from '../errors/index.ts';
import { isId } from '../ids/index.ts';
import { type ParsedScope, rootId } from '../scope/index.ts';
import { type BoundQuery, bind, composed } from './statement.ts';

/** The policies of the pivots read these. Every connection starts with '', which matches no row. */
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
 * The own tenant of each scope: its project, or else its organization or account. A single tenant
 * has a setting of its own, because that is cheaper than a list.
 */
export function settingsOfScopes(scopes: readonly ParsedScope[]): Settings {
  const [only, another] = scopes;
  return only !== undefined && another === undefined
    ? ownTenant(only)
    : { current_tenant_ids: [...new Set(scopes.map((scope) => scope.projectId ?? rootId(scope)))] };
}

type Pair = readonly [name: string, value: string];

/** A setting without a value stays empty, because settings end with their transaction. */
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

/** Sets the role and the settings of a transaction in one query. The ids are its parameters. */
export function enter(role: string | undefined, settings: Settings, ...others: readonly string[]): readonly BoundQuery[] {
  const pairs = pairsOf(settings);
  const calls = [
    ...others,
    ...(role === undefined ? [] : [`set_config('role', '${role}', true)`]),
    ...pairs.map(([name], at) => `set_config('${name}', $${at + 1}, true)`),
  ];
  if (calls.length === 0) return [];
  return [
    bind(
      composed(`SELECT ${calls.join(', ')}`),
      pairs.map(([, value]) => value),
    ),
  ];
}

export function enterReading(role: string | undefined, settings: Settings, ...others: readonly string[]): readonly BoundQuery[] {
  return enter(role, settings, `set_config('transaction_read_only', 'on', true)`, ...others);
}

const plannedOnce = `set_config('plan_cache_mode', 'force_generic_plan', true)`;

/**
 * One plan serves lists of any length. Postgres would plan short lists anew each time, which costs
 * more than reading them.
 */
export function enterLists(role: string | undefined, scopes: readonly ParsedScope[]): readonly BoundQuery[] {
  return enterReading(role, settingsOfScopes(scopes), plannedOnce);
}

// Without these a plan for all tenants sorts: fast for the many small ones, slow for the largest.
const inOrder = ['enable_sort', 'enable_seqscan', 'enable_bitmapscan'].map((name) => `set_config('${name}', 'off', true)`);

/** One plan serves tenants of any size: it reads rows in the order of an index. */
export function enterOrdered(role: string | undefined, settings: Settings): readonly BoundQuery[] {
  return enterReading(role, settings, plannedOnce, ...inOrder);
}
