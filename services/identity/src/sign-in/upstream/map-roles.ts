/**
 * What an organization's provider says of a person gives roles at each sign-in (decision 31).
 * Who is not mapped any more loses them, and has the default role.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { failures } from '@tessera/kernel/errors';
import { ignoreUnknownMethod } from '@tessera/kernel/grpc';
import { builtInRoleId } from '@tessera/proto/built-in-ids';
import type { RoleMapping } from '../../ground/domain/connection.ts';
import type { Claims } from '../connections/provider.ts';
import type { SignInDeps } from '../deps.ts';
import type { Connection } from '../storage/connections.ts';
import { chooserOf } from './default-role.ts';

/** Compared exactly. */
export function mappedBy(mapping: readonly RoleMapping[], claims: Claims): RoleMapping[] {
  return mapping.filter(({ claim, value }) => Object.hasOwn(claims, claim) && claims[claim]?.includes(value) === true);
}

type Member = { readonly userId: string; readonly claims: Claims };

/** Fails with rbac or tenancy: a sign-in that could not take a role opens no session. */
export async function mapRolesOf(
  connection: Connection,
  { userId, claims }: Member,
  { roles, tenancy }: Pick<SignInDeps, 'roles' | 'tenancy'>,
): Promise<void> {
  const { id, organizationId, roleMapping, createdBy } = connection;
  if (roleMapping.length === 0) return;
  const mapped = mappedBy(roleMapping, claims);
  const source = `connection:${id}`;
  const given = (grantId: string | null) => {
    const own = mapped.filter((one) => one.grantId === grantId);
    const vouchers = own.map(({ roleId, mappedBy = createdBy, isMappedByService = false }) => ({ roleId, mappedBy, isMappedByService }));
    return { roleIds: [...new Set(own.map(({ roleId }) => roleId))], vouchers };
  };
  const own = given(null);
  const organization = { tenant: 'organization', id: organizationId };
  const asked = own.roleIds.length > 0 ? own : defaultOf(connection);
  await untilMember(() => roles.mapRoles({ scope: organization, userId, source, ...asked }));
  const grantIds = new Set(roleMapping.flatMap(({ grantId }) => grantId ?? []));
  if (grantIds.size === 0) return;
  const known = (await ignoreUnknownMethod(tenancy.listOrganizations({ userId })))?.organizations ?? [];
  const grants = known.find((one) => one.organizationId === organizationId)?.grants ?? [];
  for (const { grantId, projectId } of grants.filter((grant) => grantIds.has(grant.grantId))) {
    const scope = { tenant: 'organizationProject', id: `${organizationId}:${projectId}` };
    await roles.mapRoles({ scope, userId, source, ...given(grantId) });
  }
}

/** Viewer is what a member has at least: it needs no voucher. */
function defaultOf(connection: Connection) {
  const { organizationId, defaultRoleId: roleId } = connection;
  const isViewer = roleId === builtInRoleId('organization', organizationId, 'Viewer');
  return { roleIds: [roleId], vouchers: isViewer ? [] : [{ roleId, ...chooserOf(connection) }] };
}

const waitsMs = [50, 100, 200, 400, 800, 1_500];

/** A first membership comes to rbac by an event: without it the sign-in would have one role. */
async function untilMember(map: () => Promise<{ readonly isMember?: boolean | undefined }>): Promise<void> {
  for (const waitMs of waitsMs) {
    // rbac of the version before does not say.
    if ((await map()).isMember !== false) return;
    await sleep(waitMs);
  }
  if ((await map()).isMember === false) throw failures.unavailable('rbac');
}
