import { failures } from '../errors/index.ts';
import { isId } from '../ids/index.ts';
import { type ParsedScope, rootId } from '../scope/index.ts';
import { type BoundQuery, bind, composed, type Statement } from './statement.ts';

/** The policies of the pivots read these. Every connection starts with '', which matches no row. */
export const settingNames = [
  ...(['current_organization_id', 'current_project_id', 'current_account_id', 'current_scope_id', 'current_place_id'] as const),
  ...(['current_tenant_ids', 'current_scope_ids', 'current_shared_ids'] as const),
] as const;

export type Settings = { readonly [Name in (typeof settingNames)[number]]?: string | readonly string[] | undefined };

/**
 * Where an organization uses another's project, it reads the project's rows and writes none of
 * them.
 */
export function settingsOfScope({ id, organizationId, projectId, accountId, grant }: ParsedScope): Settings {
  if (grant !== undefined) {
    const own = { current_organization_id: organizationId, current_scope_id: id, current_place_id: grant.placeId };
    return { ...own, current_shared_ids: projectId };
  }
  return {
    current_organization_id: organizationId,
    current_project_id: projectId,
    current_account_id: accountId,
    current_scope_id: id,
  };
}

/** The own tenant of each scope. A single one has its own setting, which is cheaper than a list. */
export function settingsOfScopes(scopes: readonly ParsedScope[]): Settings {
  const [only, another] = scopes;
  if (only === undefined || another !== undefined)
    return {
      current_tenant_ids: [...new Set(scopes.map((scope) => scope.grant?.placeId ?? scope.projectId ?? rootId(scope)))],
      current_scope_ids: [...new Set(scopes.map(({ id }) => id))],
      current_shared_ids: [...new Set(scopes.flatMap(({ grant, projectId }) => (grant === undefined ? [] : (projectId ?? []))))],
    };
  if (only.projectId === undefined || only.grant !== undefined) return settingsOfScope(only);
  return { current_project_id: only.projectId, current_scope_id: only.id };
}

const readOnly = [`set_config('transaction_read_only', 'on', true)`];
const readWithOnePlan = [...readOnly, `set_config('plan_cache_mode', 'force_generic_plan', true)`];
const unordered = ['enable_sort', 'enable_seqscan', 'enable_bitmapscan'];

const modes = {
  write: [],
  read: readOnly,
  /** One plan for lists of any length: planning short ones anew costs more than reading them. */
  readLists: readWithOnePlan,
  /** One plan for tenants of any size, in an index's order: sorting is slow for the largest. */
  readOrdered: [...readWithOnePlan, ...unordered.map((name) => `set_config('${name}', 'off', true)`)],
};

type Entering = {
  readonly mode: keyof typeof modes;
  readonly role?: string | undefined;
  /** Calls that come first, as `callsForPooler` writes them. */
  readonly first?: readonly string[];
};

const statements = new Map<string, Statement>();

/** The names are those of `settingNames`, and the role of the configuration: there are few. */
function enteringWith({ mode, role, first = [] }: Entering, names: readonly string[]): Statement | undefined {
  const key = `${mode} ${role} ${names} ${first}`;
  const known = statements.get(key);
  if (known !== undefined) return known;
  const roles = role === undefined ? [] : [`set_config('role', '${role}', true)`];
  const calls = [...first, ...modes[mode], ...roles, ...names.map((name, at) => `set_config('app.${name}', $${at + 1}, true)`)];
  if (calls.length === 0) return undefined;
  const made = composed(`SELECT ${calls.join(', ')}`);
  statements.set(key, made);
  return made;
}

/** Sets the role and the settings of a transaction in one query. The ids are its parameters. */
export function enter(entering: Entering, settings: Settings = {}): readonly BoundQuery[] {
  const names: string[] = [];
  const values: string[] = [];
  for (const name of settingNames) {
    const given = settings[name] ?? [];
    const ids = typeof given === 'string' ? [given] : given;
    if (!ids.every((id) => id.split(':').every(isId)))
      throw failures.validation('scope.id', { en: 'must be a UUID', de: 'muss eine UUID sein' });
    // A setting without a value stays empty, because settings end with their transaction.
    if (ids.length === 0) continue;
    names.push(name);
    values.push(ids.join(','));
  }
  const statement = enteringWith(entering, names);
  return statement === undefined ? [] : [bind(statement, values)];
}
