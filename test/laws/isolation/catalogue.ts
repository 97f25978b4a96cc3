/** What the database itself says of isolation, and what ARCHITECTURE.md wants it to say. */
import { pivotsOf } from '@tessera/kernel/postgres';
import type pg from 'pg';
import * as keys from '../../../services/keys/src/storage/entities.ts';
import * as rbac from '../../../services/rbac/src/storage/entities.ts';
import * as tenancy from '../../../services/tenancy/src/storage/entities/index.ts';

export const services = ['identity', 'tenancy', 'rbac', 'keys'] as const;

/** The 21 pivot tables. */
export const pivots: readonly string[] = [
  ...['organization_users', 'organization_projects', 'account_projects', 'project_users', 'organization_invitations'].map(
    (name) => `tenancy.${name}`,
  ),
  ...['organization_roles', 'organization_groups', 'organization_permissions', 'project_roles', 'project_groups'].map(
    (name) => `rbac.${name}`,
  ),
  ...['project_permissions', 'project_resources', 'account_roles', 'account_tags', 'organization_tags'].map((name) => `rbac.${name}`),
  ...['project_tags', 'account_project_tags', 'organization_project_tags'].map((name) => `rbac.${name}`),
  ...['account_project_api_keys', 'organization_project_api_keys', 'project_user_api_keys'].map((name) => `keys.${name}`),
];

/** What else the entities describe as pivots, besides the 21 of the contract. */
const furtherPivots: readonly string[] = [
  ...pivotsOf(tenancy).map((name) => `tenancy.${name}`),
  ...pivotsOf(rbac).map((name) => `rbac.${name}`),
  ...pivotsOf(keys).map((name) => `keys.${name}`),
].filter((name) => !pivots.includes(name));

/** Tables that name a tenant and need no policy, each with the reason. */
export const unpoliced: Readonly<Record<string, string>> = {
  'rbac.tenants': 'the registry of scopes and versions: asked for by (tenant, id), holds no content',
  'keys.placed_api_keys': 'a view that runs as its caller over the three pivots of keys',
};
const forAppending = ['outbox', 'audit_log'];

export type Relation = {
  readonly name: string;
  readonly kind: 'r' | 'p' | 'v' | 'm';
  readonly hasPolicies: boolean;
  readonly namesTenant: boolean;
  /** What some restricted role may do with it: SELECT, INSERT, UPDATE, DELETE. */
  readonly rights: readonly string[];
  readonly commands: string;
  readonly isInvokerView: boolean;
};

/** Every relation of the four schemas, as the catalogue has it. */
export async function relationsOf(admin: pg.Client): Promise<readonly Relation[]> {
  const { rows } = await admin.query<Relation>(
    `SELECT n.nspname || '.' || c.relname AS name, c.relkind AS kind, c.relrowsecurity AS "hasPolicies",
       EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND NOT a.attisdropped
         AND a.attname IN ('organization_id', 'project_id', 'account_id', 'tenant', 'scope_id')) AS "namesTenant",
       ARRAY(SELECT DISTINCT acl.privilege_type::text FROM aclexplode(c.relacl) acl JOIN pg_roles r ON r.oid = acl.grantee
         WHERE r.rolname LIKE 'tenant_app_restricted%' ORDER BY 1) AS rights,
       coalesce((SELECT string_agg(CASE p.polcmd WHEN '*' THEN 'rawd' ELSE p.polcmd::text END, '') FROM pg_policy p
         WHERE p.polrelid = c.oid AND p.polpermissive AND 'tenant_app_restricted'::regrole = ANY (p.polroles)
           AND p.polqual IS NOT NULL AND p.polwithcheck IS NOT NULL), '') AS commands,
       coalesce('security_invoker=true' = ANY (c.reloptions), false) AS "isInvokerView"
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = ANY ($1) AND c.relkind IN ('r', 'p', 'v', 'm') ORDER BY 1`,
    [services],
  );
  return rows;
}

/** The faults of these relations; each starts with the relation's name. */
export function faultsOf(relations: readonly Relation[]): readonly string[] {
  return [
    ...[...pivots, ...furtherPivots]
      .filter((pivot) => !relations.some(({ name }) => name === pivot))
      .map((pivot) => `${pivot}: is missing`),
    ...relations.flatMap(({ name, kind, hasPolicies, namesTenant, rights, commands, isInvokerView }) => {
      const isPivot = pivots.includes(name) || furtherPivots.includes(name);
      if (isPivot)
        return [
          ...(hasPolicies ? [] : [`${name}: row-level security is off`]),
          ...([...'rawd'].every((command) => commands.includes(command)) ? [] : [`${name}: a command has no policy`]),
        ];
      if (hasPolicies) return [`${name}: has policies and is no pivot`];
      if (kind === 'v' && rights.length > 0 && !isInvokerView) return [`${name}: a view that sees as its owner, past the policies`];
      if (!namesTenant || rights.length === 0 || Object.hasOwn(unpoliced, name)) return [];
      const isAppended = rights.join() === 'INSERT' && forAppending.some((table) => name.endsWith(`.${table}`));
      return isAppended ? [] : [`${name}: names a tenant, is open to the restricted role (${rights.join(', ')}), and has no policy`];
    }),
  ];
}
