/** The operations of each type of resource. A further type (Groups) is one more row. */
import type { Operation } from '@tessera/kernel/operation';
import type { TenancyDeps } from '../../deps.ts';
import { changeUser } from '../../directory/change-user.ts';
import { deprovisionUser } from '../../directory/delete-user.ts';
import { provisionUser } from '../../directory/provision-user.ts';
import { getUser, listUsers } from '../../directory/read-users.ts';
import { type ResourceType, userType } from '../../domain/scim/schema.ts';

/**
 * `create` takes { body }, `change` { id, by, body, version? }, `remove` { id, version? }, `read` {
 * id }, `list` the question. All but `remove` and `list` answer { id, resource, version,
 * lastModified }.
 */
export type Served = {
  readonly type: ResourceType;
  readonly create: Operation<TenancyDeps>;
  readonly read: Operation<TenancyDeps>;
  readonly list: Operation<TenancyDeps>;
  readonly change: Operation<TenancyDeps>;
  readonly remove: Operation<TenancyDeps>;
};

export const served: readonly Served[] = [
  { type: userType, create: provisionUser, read: getUser, list: listUsers, change: changeUser, remove: deprovisionUser },
];
