import { failures } from '../errors/index.ts';
import { isId } from '../ids/index.ts';
import { type ParsedScope, rootId } from '../scope/index.ts';
import { type Asked, ask } from './flight.ts';
import { composed } from './statement.ts';
import type { TransactionOptions } from './transaction.ts';

/** What the policies of the pivots go by. Every connection opens with each of them empty, and '' matches no row. */
export const settingNames = ['current_organization_id', 'current_project_id', 'current_account_id', 'current_tenant_ids'] as const;

export type Settings = { readonly [Name in (typeof settingNames)[number]]?: string | readonly string[] | undefined };

export const settingsOfScope = ({ organizationId, projectId, accountId }: ParsedScope): Settings => ({
  current_organization_id: organizationId,
  current_project_id: projectId,
  current_account_id: accountId,
});

const ownTenant = ({ projectId, organizationId, accountId }: ParsedScope): Settings =>
  projectId === undefined ? { current_organization_id: organizationId, current_account_id: accountId } : { current_project_id: projectId };

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

/**
 * BEGIN, the role and the settings as one message of the simple protocol, a third cheaper than prepared statements. It takes no
 * parameters, so nothing but ids gets in.
 */
export function enterText({ isolation, readOnly }: TransactionOptions, role: string | undefined, settings: Settings): string {
  const begin = ['BEGIN', ...(isolation ? [`ISOLATION LEVEL ${isolation.toUpperCase()}`] : []), ...(readOnly ? ['READ ONLY'] : [])];
  const texts = pairsOf(settings).map(([name, value]) => `SET LOCAL ${name} = '${value}'`);
  return [begin.join(' '), ...(role === undefined ? [] : [`SET LOCAL ROLE ${role}`]), ...texts].join(';');
}

/** The same for a flight, whose transaction begins by itself: one statement, in which the ids are parameters. */
export function enterReading(role: string | undefined, settings: Settings, others = ''): Asked {
  const pairs = pairsOf(settings);
  let calls = `set_config('transaction_read_only', 'on', true)${others}`;
  if (role !== undefined) calls += `, set_config('role', '${role}', true)`;
  for (const [at, [name]] of pairs.entries()) calls += `, set_config('${name}', $${at + 1}, true)`;
  return ask(
    composed(`SELECT ${calls}`),
    pairs.map(([, value]) => value),
  );
}

/** One plan serves lists of any length: short ones would be planned anew each time, which costs more than reading them. */
export const enterLists = (role: string | undefined, scopes: readonly ParsedScope[]): Asked =>
  enterReading(role, settingsOfScopes(scopes), `, set_config('plan_cache_mode', 'force_generic_plan', true)`);
