import type { Subject } from '@tessera/kernel/authorization';
import { failures } from '@tessera/kernel/errors';
import type { GrpcClient } from '@tessera/kernel/grpc';
import type { Notices } from '@tessera/kernel/notices';
import type { RoleSummary } from '@tessera/proto/types/rbac.v1';
import { type ProjectScope, parentOf } from '../domain/signing-scope.ts';
import { createResponseCache } from './response-cache.ts';

type Client = Pick<GrpcClient<'rbac.v1.Roles'>, 'checkGrant' | 'listSubjectRoles' | 'getRoles'>;

/** Roles, from rbac. */
export type Roles = {
  /**
   * Throws 404 for a role that the project cannot use, 403 for one that the actor may not assign
   * there, by rank or by permissions.
   */
  assertMayGive(actor: Subject, scope: ProjectScope, roleId: string): Promise<void>;
  /**
   * Whether the maker of a project's key could make it now: a key must not keep rights that its
   * maker lost. True for a deleted role, which grants nothing.
   */
  couldStillGive(maker: Subject, scope: ProjectScope, roleId: string): Promise<boolean>;
  /** Whether the actor could assign each role that the user has in this project. */
  coversRolesOf(actor: Subject, scope: ProjectScope, userId: string): Promise<boolean>;
  /** Rights have changed: the next question is asked of rbac. */
  forget(): void;
  /** Those of these roles that exist. */
  find(scope: { readonly tenant: string; readonly id: string }, roleIds: readonly string[]): Promise<readonly RoleSummary[]>;
};

/** `notices` let the next exchange see a change of rights, before the cache's two seconds end. */
export function createRoles(client: Client, notices: Pick<Notices, 'subscribe' | 'onReconnect'>): Roles {
  const cache = createResponseCache();
  notices.subscribe('tenant-changed', cache.forgetAll);
  notices.onReconnect(cache.forgetAll);
  const verdictsOf = async (actor: Subject, scope: ProjectScope, roleIds: readonly string[]) =>
    (await client.checkGrant({ actor: { ...actor, scopes: actor.scopes ?? [] }, scope, roleIds, givenTo: 'key' })).verdicts;
  const rolesIn = async (scope: { tenant: string; id: string }, userId: string) =>
    (await client.listSubjectRoles({ scope, userIds: [userId] })).subjects.flatMap((subject) =>
      subject.userId === userId ? subject.roles.map(({ id }) => id) : [],
    );

  return {
    async assertMayGive(actor, scope, roleId) {
      const verdict = (await verdictsOf(actor, scope, [roleId])).find((found) => found.roleId === roleId)?.verdict ?? 'not-found';
      if (verdict === 'not-found') throw failures.notFound('Role');
      if (verdict !== 'allowed') throw failures.forbidden();
    },
    couldStillGive: (maker, scope, roleId) =>
      cache.get(`${maker.userId} ${maker.roleId ?? maker.type} ${scope.tenant} ${scope.id} ${roleId}`, async () => {
        const [found] = await verdictsOf(maker, scope, [roleId]);
        return found?.verdict === 'allowed' || found?.verdict === 'not-found';
      }),
    async coversRolesOf(actor, scope, userId) {
      const held = (await Promise.all([rolesIn(scope, userId), rolesIn(parentOf(scope), userId)])).flat();
      if (held.length === 0) return true;
      const verdicts = await verdictsOf(actor, scope, held);
      return held.every((roleId) => verdicts.some((found) => found.roleId === roleId && found.verdict === 'allowed'));
    },
    forget: cache.forgetAll,
    find: async ({ tenant, id }, roleIds) => (await client.getRoles({ scope: { tenant, id }, roleIds })).roles,
  };
}
