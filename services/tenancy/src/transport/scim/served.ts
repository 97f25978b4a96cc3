/** The operations of each type of resource. A further type is one more row. */
import type { Operation } from '@tessera/kernel/operation';
import type { TenancyDeps } from '../../deps.ts';
import { changeGroup } from '../../directory/change-group.ts';
import { changeUser } from '../../directory/change-user.ts';
import { deprovisionGroup } from '../../directory/delete-group.ts';
import { deprovisionUser } from '../../directory/delete-user.ts';
import { provisionGroup } from '../../directory/provision-group.ts';
import { provisionUser } from '../../directory/provision-user.ts';
import { getGroup, listGroups } from '../../directory/read-groups.ts';
import { getUser, listUsers } from '../../directory/read-users.ts';
import { groupType, type ResourceType, userType } from '../../domain/scim/schema.ts';

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
  /**
   * A list of unbounded length: all but `remove` take `withMembers`, and a PATCH is answered with
   * 204 (RFC 7644, section 3.5.2).
   */
  readonly members?: string;
};

export const served: readonly Served[] = [
  { type: userType, create: provisionUser, read: getUser, list: listUsers, change: changeUser, remove: deprovisionUser },
  {
    type: groupType,
    create: provisionGroup,
    read: getGroup,
    list: listGroups,
    change: changeGroup,
    remove: deprovisionGroup,
    members: 'members',
  },
];
