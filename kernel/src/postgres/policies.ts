import type { Database } from './database.ts';
import { sql } from './statement.ts';

type Role = { isSuper: boolean; bypasses: boolean; canLogin: boolean; mayEnter: boolean; mayEmit: boolean };
type Pivot = { name: string; isEnabled: boolean; covered: string; isLoose: boolean };

// SQL as text: no entity describes the catalogues of Postgres.
const roleQuery = sql(`
  SELECT rolsuper AS "isSuper", rolbypassrls AS bypasses, rolcanlogin AS "canLogin",
    pg_has_role(current_user, oid, 'MEMBER') AS "mayEnter", has_table_privilege(oid, 'outbox', 'INSERT') AS "mayEmit"
  FROM pg_roles WHERE rolname = $1`);

// Commands that the policies for the role cover: read, append, write, delete; '*' is all four.
const pivotQuery = sql(`
  SELECT wanted.name, coalesce(c.relrowsecurity, false) AS "isEnabled",
    coalesce(string_agg(CASE p.polcmd WHEN '*' THEN 'rawd' ELSE p.polcmd::text END, ''), '') AS covered,
    coalesce(bool_or(pg_get_expr(coalesce(p.polqual, p.polwithcheck), p.polrelid) NOT LIKE '%app.current\\_%'), false) AS "isLoose"
  FROM unnest($1::text[]) AS wanted(name)
  LEFT JOIN pg_class c ON c.oid = to_regclass(wanted.name)
  LEFT JOIN pg_policy p ON p.polrelid = c.oid AND p.polpermissive
    AND EXISTS (SELECT FROM unnest(p.polroles) AS grantee WHERE grantee = 0 OR pg_has_role($2, grantee, 'USAGE'))
  GROUP BY wanted.name, c.relrowsecurity`);

function roleFaults(name: string, role: Role | undefined): string[] {
  if (!role) return [`the role '${name}' does not exist`];
  return [
    ...(role.isSuper || role.bypasses ? [`the role '${name}' bypasses row-level security`] : []),
    ...(role.canLogin ? [`the role '${name}' can log in`] : []),
    ...(role.mayEnter ? [] : [`this login may not switch to the role '${name}'`]),
    ...(role.mayEmit ? [] : [`the role '${name}' may not write to the outbox: run the migrations again`]),
  ];
}

function pivotFaults({ name, isEnabled, covered, isLoose }: Pivot): string[] {
  if (!isEnabled) return [`the pivot table '${name}' has no row-level security`];
  const isCovered = [...'rawd'].every((command) => covered.includes(command));
  return [
    ...(isCovered ? [] : [`the pivot table '${name}' lacks a policy for some command`]),
    ...(isLoose ? [`the pivot table '${name}' has a policy that ignores the tenant settings`] : []),
  ];
}

/** A service whose isolation is incomplete does not start. Names every fault at once. */
export async function assertPolicies(db: Database, pivots: readonly string[]): Promise<void> {
  if (!db.rlsEnabled || pivots.length === 0) return;
  if (db.restrictedRole === undefined) throw new Error('Tenant isolation is incomplete: no restricted role is configured.');
  const [role] = await db.query<Role>(roleQuery, [db.restrictedRole]);
  const faults = roleFaults(db.restrictedRole, role);
  if (role) faults.push(...(await db.query<Pivot>(pivotQuery, [pivots, db.restrictedRole])).flatMap(pivotFaults));
  if (faults.length > 0) throw new Error(`Tenant isolation is incomplete: ${faults.join('; ')}.`);
}
