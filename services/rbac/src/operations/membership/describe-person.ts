import { type ParsedScope, parseScope } from '@tessera/kernel/scope';
import type { Json } from '@tessera/rules/condition';
import type { RbacDeps } from '../../deps.ts';
import { roleTable } from '../../storage/entity-tables.ts';
import { findEntities } from '../../storage/scoped-entity.ts';

type Described = { readonly roleNames: readonly string[]; readonly memberMetadata: Json; readonly grantMetadata: Json };

/**
 * What tokens may say of a person in a project, or where an organization uses it: the names of the
 * project's own roles that count now. A role that a customer has made, or its organization's own,
 * may have any name: an app that trusts names must not hear of it. What a customer writes of its
 * members stays with it.
 */
export async function describePerson(
  { database, rights }: Pick<RbacDeps, 'database' | 'rights'>,
  scope: ParsedScope,
  userId: string,
): Promise<Described> {
  const held = (await rights.get(scope, { userId }))?.rights;
  const project = scope.grant === undefined ? scope : parseScope(scope.grant.product);
  const ids = held?.roles.flatMap(({ id, isBuiltIn }) => (isBuiltIn ? [] : [id])) ?? [];
  const own = ids.length === 0 ? [] : await database.scoped(project, (tx) => findEntities(tx, roleTable, project, ids), { readOnly: true });
  return {
    roleNames: own.map(({ name }) => name).toSorted(),
    memberMetadata: scope.grant === undefined ? (held?.memberMetadata ?? {}) : {},
    grantMetadata: held?.grantMetadata ?? {},
  };
}
