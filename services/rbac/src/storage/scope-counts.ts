import { type Database, statement } from '@tessera/kernel/postgres';
import type { ParsedScope } from '@tessera/kernel/scope';
import { type Level, levelId, levelOf } from './across.ts';

type Counts = { readonly roles: number; readonly tags: number };

function countOf(level: Level, entity: 'role' | 'tag', condition = ''): string {
  return `(SELECT count(*)::int FROM ${level}_${entity}s p JOIN ${entity}s e ON e.id = p.${entity}_id
    WHERE p.${level === 'grant' ? 'place' : level}_id = ANY ($1::uuid[]) AND e.deleted_at IS NULL ${condition}) AS ${entity}s`;
}

function counting(level: Level) {
  const columns = `${countOf(level, 'role', 'AND NOT e.is_built_in')}, ${countOf(level, 'tag')}`;
  return statement(`rbac_count_in_${level}s`, `SELECT ${columns}`);
}

const counts: Readonly<Record<Level, ReturnType<typeof counting>>> = {
  account: counting('account'),
  organization: counting('organization'),
  project: counting('project'),
  grant: counting('grant'),
};

/** How many roles and tags these scopes define together, without built-in ones. */
export async function countInScopes(database: Database, scopes: readonly ParsedScope[]): Promise<Counts> {
  if (scopes.length === 0) return { roles: 0, tags: 0 };
  const byLevel = Map.groupBy(scopes, levelOf);
  const found = await database.across(scopes, (tx) =>
    Promise.all([...byLevel].map(([level, members]) => tx.query<Counts>(counts[level], [members.map(levelId)]))),
  );
  const rows = found.flat();
  return { roles: rows.reduce((sum, { roles }) => sum + roles, 0), tags: rows.reduce((sum, { tags }) => sum + tags, 0) };
}
