import { newId } from '@tessera/kernel/ids';
import type { Transaction } from '@tessera/kernel/postgres';
import type { ParsedScope } from '@tessera/kernel/scope';
import { groupTable } from '../../storage/entity-tables.ts';
import { findOwnGroupOf } from '../../storage/own-groups.ts';
import { insertEntity, listAll, updateEntity } from '../../storage/scoped-entity.ts';
import { findOne, removeOne } from '../entity.ts';

const longestName = 255;

/**
 * The name of the role; another one when a group has it, because manifests tell groups apart by
 * their names.
 */
async function nameFor(tx: Transaction, scope: ParsedScope, name: string, groupId?: string): Promise<string> {
  const taken = new Set((await listAll(tx, groupTable, scope)).filter(({ id }) => id !== groupId).map((group) => group.name));
  for (let count = 1; ; count += 1) {
    const end = ['', ' (role)'][count - 1] ?? ` (role ${count})`;
    const free = `${name.slice(0, longestName - end.length)}${end}`;
    if (!taken.has(free)) return free;
  }
}

/** Makes the group that a role has of its own (decision 39). */
export async function insertOwnGroup(
  tx: Transaction,
  scope: ParsedScope,
  role: { readonly id: string; readonly name: string },
): Promise<string> {
  const id = newId();
  await insertEntity(tx, groupTable, scope, id, { name: await nameFor(tx, scope, role.name), roleId: role.id });
  return id;
}

/** It has the name of the role. */
export async function renameOwnGroup(tx: Transaction, scope: ParsedScope, roleId: string, name: string): Promise<void> {
  const group = await findOwnGroupOf(tx, roleId);
  if (group !== undefined) await updateEntity(tx, groupTable, scope, group.id, { name: await nameFor(tx, scope, name, group.id) });
}

/** It ends with the role. */
export async function removeOwnGroup(
  tx: Transaction,
  scope: ParsedScope,
  roleId: string,
  deletion: { readonly hard: boolean; readonly now: Date },
): Promise<void> {
  const group = await findOwnGroupOf(tx, roleId);
  if (group !== undefined) await removeOne(tx, groupTable, scope, await findOne(tx, groupTable, scope, group.id), deletion);
}
