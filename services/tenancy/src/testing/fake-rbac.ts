import type { Authorizer, Check } from '@tessera/kernel/authorization';
import { AppError, failures } from '@tessera/kernel/errors';
import { newId } from '@tessera/kernel/ids';
import { builtInRoleId } from '@tessera/proto/built-in-ids';
import type { EventPayloads } from '@tessera/proto/events';
import type { RoleSummary } from '@tessera/proto/types/rbac.v1';
import type { RolesClient, TagsClient } from '../peers/clients.ts';

/**
 * A fake of the service rbac, with the contract that tenancy relies on: built-in roles with ranks,
 * the last Owner, one transaction for each call, its inbox. Its rules are simplified; what it
 * shares with the service is tested on both (proto/rbac/v1/testing).
 */
const builtIn = ['Owner', 'Admin', 'Dev', 'Viewer'] as const;
export type BuiltIn = (typeof builtIn)[number];
const createdAt = '2026-01-01T00:00:00.000Z';

type Assignment = { readonly roleId: string };
type Delivered = { readonly type: string; readonly payload: Record<string, unknown> };

const readActions = new Set(['Read', 'Query']);
/** Not every member reads these. */
const guardedResources = new Set(['AuditEvent', 'Webhook', 'ProjectGrant', 'Domain', 'Directory']);
const leastRank: Readonly<Record<string, number>> = {
  'Organization:Update': 2,
  'Organization:Delete': 1,
  'OrganizationMember:Update': 2,
  'OrganizationMember:Remove': 2,
  'OrganizationInvitation:Create': 2,
  'OrganizationInvitation:Revoke': 2,
  'OrganizationInvitation:ResendEmail': 2,
  'OrganizationInvitation:Renew': 2,
  'AuditEvent:Export': 2,
  'AuditEvent:Query': 2,
  'Webhook:Create': 2,
  'Webhook:Update': 2,
  'Webhook:Delete': 2,
  'Webhook:Query': 2,
  'Directory:Update': 2,
  'Directory:Query': 2,
  'Domain:Create': 2,
  'Domain:Update': 2,
  'Domain:Delete': 2,
  'Domain:Query': 2,
  'ProjectGrant:Create': 2,
  'ProjectGrant:Update': 2,
  'ProjectGrant:Delete': 2,
  'ProjectGrant:Query': 2,
  'Project:Create': 3,
  'Project:Update': 3,
  'Project:Delete': 3,
};

export class FakeRbac {
  readonly #roles = new Map<string, RoleSummary[]>();
  readonly #assignments = new Map<string, Assignment>();
  /** Further roles of members, beside the one whose rank counts in this fake. */
  readonly #furtherRoles = new Map<string, RoleSummary[]>();
  readonly #metadata = new Map<string, string>();
  readonly #blocked = new Map<string, string>();
  readonly #accounts = new Map<string, { ownerId: string; type: string }>();
  readonly #tags = new Map<string, Set<string>>();
  readonly #primaryTags = new Map<string, string>();
  /** The names of the methods that were called, so that tests can count calls. */
  readonly calls: string[] = [];
  /** The rows that it wrote into its audit log for changes that tenancy asked for. */
  readonly audited: { readonly action: string; readonly target_id: string }[] = [];
  /** The events that it received, in order. */
  /** What rbac says of how many people of a customer hold roles. */
  holderCount = 0;
  readonly received: Delivered[] = [];
  /** Service accounts with the role Provisioning, as `<organization>:<account>`. */
  readonly directories = new Set<string>();
  /** Called for every ended membership, in place of rbac's outbox. */
  onMembershipEnded: (userId: string, organizationId: string) => Promise<void> = async () => undefined;

  roleId(organizationId: string, name: BuiltIn): string {
    const role = this.#roles.get(organizationId)?.find((one) => one.name === name);
    if (!role) throw new Error(`organization ${organizationId} has no role ${name}`);
    return role.id;
  }

  hasRoles(organizationId: string): boolean {
    return this.#roles.has(organizationId);
  }

  roleOf(organizationId: string, userId: string): string | undefined {
    const roleId = this.#assignments.get(`${organizationId}:${userId}`)?.roleId;
    return this.#roles.get(organizationId)?.find(({ id }) => id === roleId)?.name;
  }

  ownersOf(organizationId: string): string[] {
    return this.members(organizationId).filter((userId) => this.#rank(organizationId, userId) === 1);
  }

  members(organizationId: string): string[] {
    return [...this.#assignments.keys()].flatMap((key) =>
      key.startsWith(`${organizationId}:`) ? [key.slice(organizationId.length + 1)] : [],
    );
  }

  accountExists(accountId: string): boolean {
    return this.#accounts.has(accountId);
  }

  primaryTagOf(projectId: string): string | undefined {
    return this.#primaryTags.get(projectId);
  }

  /** Deletes a role; open invitations to it stay. */
  dropRole(organizationId: string, name: BuiltIn): void {
    const left = this.#roles.get(organizationId)?.filter((role) => role.name !== name) ?? [];
    this.#roles.set(organizationId, left);
  }

  /** Adds a further role, built-in or custom; it is listed before the first one. */
  addRole(organizationId: string, userId: string, name: string): void {
    const own = { id: newId(), name, isBuiltIn: false, metadataJson: '{}', createdAt, updatedAt: createdAt };
    const role = this.#roles.get(organizationId)?.find((one) => one.name === name) ?? own;
    const key = `${organizationId}:${userId}`;
    this.#furtherRoles.set(key, [role, ...(this.#furtherRoles.get(key) ?? [])]);
  }

  tag(scopeId: string, tagId: string, entityIds: readonly string[] = []): void {
    this.#tags.set(`${scopeId}:${tagId}`, new Set(entityIds));
  }

  /** The ids of an entity's tags, in order of creation. */
  tagsOf(scopeId: string, entityId: string): string[] {
    return [...this.#tags].flatMap(([key, entities]) =>
      key.startsWith(`${scopeId}:`) && entities.has(entityId) ? [key.slice(scopeId.length + 1)] : [],
    );
  }

  #rank(organizationId: string, userId: string): number {
    const roleId = this.#assignments.get(`${organizationId}:${userId}`)?.roleId;
    return this.#roles.get(organizationId)?.find(({ id }) => id === roleId)?.rank ?? Number.POSITIVE_INFINITY;
  }

  /** The inbox: applies an event of tenancy. */
  receive({ type, payload }: Delivered): void {
    this.received.push({ type, payload });
    const text = (name: string): string => String(payload[name]);
    if (type === 'account.created') this.#accounts.set(text('accountId'), { ownerId: text('ownerId'), type: text('type') });
    if (type === 'account.deleted') this.#accounts.delete(text('accountId'));
    if (type === 'organization.created') {
      this.#seed(text('organizationId'));
      const ownerRole = this.roleId(text('organizationId'), 'Owner');
      if (payload.ownerId !== null) this.#assign(text('organizationId'), text('ownerId'), ownerRole);
    }
    if (type === 'organization.deleted') this.#forget(text('organizationId'));
    if (type === 'member.added') this.#assign(text('organizationId'), text('userId'), text('roleId'));
    if (type === 'members.provisioned')
      for (const { userId, roleId } of (payload as EventPayloads['members.provisioned']).members)
        this.#assign(text('organizationId'), userId, roleId);
    if (type === 'project.created') this.#tagNew(payload as EventPayloads['project.created']);
    if (type === 'project.tagged') this.#retag(payload as EventPayloads['project.tagged']);
    if (type === 'user.left') {
      const scope = payload.scope as { id: string };
      this.#assignments.delete(`${scope.id}:${text('userId')}`);
    }
  }

  #tagNew({ scope: { tenant, id }, tagIds, primaryTagId }: EventPayloads['project.created']): void {
    const [parentId = '', projectId = ''] = id.split(':');
    if (tagIds.length > 0) this.#retag({ scope: { tenant, id: parentId }, projectId, tagIds, primaryTagId });
  }

  #retag({ scope, projectId, tagIds, primaryTagId }: EventPayloads['project.tagged']): void {
    for (const [key, entities] of this.#tags)
      if (key.startsWith(`${scope.id}:`)) entities[tagIds.some((id) => key.endsWith(id)) ? 'add' : 'delete'](projectId);
    if (primaryTagId === null) this.#primaryTags.delete(projectId);
    else this.#primaryTags.set(projectId, primaryTagId);
  }

  #seed(organizationId: string): void {
    const roles = builtIn.map((name, index) => ({
      id: builtInRoleId('organization', organizationId, name),
      name,
      isBuiltIn: true,
      rank: index + 1,
      metadataJson: '{}',
      createdAt,
      updatedAt: createdAt,
    }));
    this.#roles.set(organizationId, roles);
  }

  #assign(organizationId: string, userId: string, roleId: string): void {
    this.#assignments.set(`${organizationId}:${userId}`, { roleId });
  }

  #forget(organizationId: string): void {
    this.#roles.delete(organizationId);
    for (const userId of this.members(organizationId)) this.#assignments.delete(`${organizationId}:${userId}`);
  }

  readonly authorizer: Authorizer = {
    check: async (checks) => {
      this.calls.push('check');
      return checks.map((check) => ({ authorized: this.#isAllowed(check), reason: '' }));
    },
  };

  /** Permissions that are refused to all callers, and people who lost AuditEvent:Query. */
  readonly withheld = new Set<string>();
  readonly withheldFrom = new Set<string>();

  #isAllowed({ subject, scope, resource, action }: Check): boolean {
    const permission = `${resource}:${action}`;
    if (this.withheld.has(permission)) return false;
    if (permission === 'AuditEvent:Query' && this.withheldFrom.has(subject.userId)) return false;
    if (subject.scopes !== undefined && !subject.scopes.includes(permission)) return false;
    const [root = ''] = scope.id.split(':');
    if (permission === 'Directory:Provision')
      return this.directories.has(`${root}:${subject.userId}`) || this.#rank(root, subject.userId) === 1;
    if (scope.tenant === 'account' || scope.tenant === 'accountProject') {
      const account = this.#accounts.get(root);
      if (account?.ownerId !== subject.userId) return false;
      return `${resource}:${action}` !== 'Organization:Create' || account.type === 'organization';
    }
    const rank = this.#rank(root, subject.userId);
    if (readActions.has(action) && !guardedResources.has(resource)) return rank <= 4;
    return rank <= (leastRank[`${resource}:${action}`] ?? 0);
  }

  readonly tags: TagsClient = {
    checkTags: async ({ scope, tagIds }) => ({ missing: tagIds.filter((id) => !this.#tags.has(`${scope?.id}:${id}`)) }),
    listEntityTags: async ({ scope, entityIds }) => ({
      entities: entityIds.map((entityId) => ({
        entityId,
        primaryTagId: this.#primaryTags.get(entityId),
        tags: this.tagsOf(scope?.id ?? '', entityId).map((id) => ({ id, name: '', color: 'red', createdAt, updatedAt: createdAt })),
      })),
    }),
    listTaggedEntities: async ({ scope, tagIds }) => {
      const lists = tagIds.map((id) => this.#tags.get(`${scope?.id}:${id}`) ?? new Set<string>());
      const [first = new Set<string>(), ...rest] = lists;
      return { entityIds: [...first].filter((id) => rest.every((list) => list.has(id))) };
    },
    listPrimaryTags: async ({ projects }) => {
      this.calls.push('listPrimaryTags');
      return {
        tags: projects.flatMap(({ parent, projectId }) => {
          const tagId = this.#primaryTags.get(projectId);
          return tagId === undefined || !this.#tags.has(`${parent?.id}:${tagId}`) ? [] : [{ projectId, tagId }];
        }),
      };
    },
  };

  readonly roles: RolesClient = {
    checkGrant: async ({ actor, scope, roleIds }) => ({
      verdicts: roleIds.map((roleId) => ({ roleId, verdict: this.#verdict(scope?.id ?? '', actor?.userId ?? '', roleId) })),
    }),
    getRoles: async ({ scope, roleIds }) => {
      this.calls.push('getRoles');
      return { roles: (this.#roles.get(scope?.id ?? '') ?? []).filter(({ id }) => roleIds.includes(id)) };
    },
    listSubjectRoles: async ({ scope, userIds }) => {
      this.calls.push('listSubjectRoles');
      const organizationId = scope?.id ?? '';
      const roles = this.#roles.get(organizationId) ?? [];
      return {
        subjects: userIds.map((userId) => {
          const held = [
            ...(this.#furtherRoles.get(`${organizationId}:${userId}`) ?? []),
            ...roles.filter(({ id }) => id === this.#assignments.get(`${organizationId}:${userId}`)?.roleId),
          ];
          const metadataJson = this.#metadata.get(`${organizationId}:${userId}`) ?? '{}';
          const blockedAt = this.#blocked.get(`${organizationId}:${userId}`);
          const block = blockedAt === undefined ? {} : { blockedAt };
          return { userId, roles: held, metadataJson, ...block, version: [...held.map(({ id }) => id), metadataJson].join(' ') };
        }),
      };
    },
    setMemberMetadata: async ({ actor, scope, userId, metadataJson, auditJson }) => {
      this.#requireReach(scope?.id ?? '', actor?.userId ?? '', userId);
      this.#metadata.set(`${scope?.id}:${userId}`, metadataJson);
      return this.#audit(auditJson);
    },
    restrictMember: async ({ actor, scope, userId, kind, auditJson }) => {
      const key = `${scope?.id}:${userId}`;
      const rankOf = (id: string) => this.#rank(scope?.id ?? '', id);
      if (!this.#assignments.has(key)) throw failures.notFound('OrganizationMember');
      if (actor?.userId === userId || rankOf(userId) <= rankOf(actor?.userId ?? '')) throw failures.forbidden();
      if (kind === 'block') this.#blocked.set(key, new Date().toISOString());
      if (kind === 'unblock') this.#blocked.delete(key);
      return this.#audit(auditJson);
    },
    listScopeRoles: async ({ scopes }) => {
      this.calls.push('listScopeRoles');
      const byName = (one: RoleSummary, other: RoleSummary) => (one.name < other.name ? -1 : 1);
      return { scopes: scopes.map(({ id }) => ({ roles: (this.#roles.get(id) ?? []).toSorted(byName) })) };
    },
    countInScopes: async ({ scopes }) => {
      const roles = scopes.flatMap(({ id }) => this.#roles.get(id) ?? []).filter(({ isBuiltIn }) => !isBuiltIn).length;
      return { roles, tags: [...this.#tags.keys()].filter((key) => scopes.some(({ id }) => key.startsWith(`${id}:`))).length };
    },
    listScopeGroups: async ({ scopes }) => {
      this.calls.push('listScopeGroups');
      return { scopes: scopes.map(() => ({ groups: [] })) };
    },
    describeGrants: async ({ grants }) => ({
      grants: grants.map(({ product, allRoles, roleIds }) => ({
        memberCount: 0,
        roles: (this.#roles.get(product.id) ?? []).filter(({ id }) => allRoles || roleIds.includes(id)),
      })),
    }),
    listHolders: async () => ({ holders: [], totalCount: this.holderCount }),
    changeMemberRole: async ({ actor, scope, userId, roleId, metadataJson, auditJson }) => {
      const organizationId = scope?.id ?? '';
      const role = this.#roles.get(organizationId)?.find(({ id }) => id === roleId);
      if (!role) throw failures.notFound('Role');
      this.#requireReach(organizationId, actor?.userId ?? '', userId);
      if (this.#verdict(organizationId, actor?.userId ?? '', roleId) !== 'allowed') throw failures.forbidden();
      if (role.rank !== 1) this.#requireOtherOwner(organizationId, userId);
      this.#assign(organizationId, userId, roleId);
      if (metadataJson !== undefined) this.#metadata.set(`${organizationId}:${userId}`, metadataJson);
      return { ...role, ...this.#audit(auditJson) };
    },
    endMembership: async ({ actor, scope, userId, auditJson }) => {
      const organizationId = scope?.id ?? '';
      if (actor) this.#requireReach(organizationId, actor.userId, userId);
      this.#requireOtherOwner(organizationId, userId);
      const audited = this.#audit(auditJson);
      await this.#end(userId, [organizationId]);
      return audited;
    },
    endMemberships: async ({ userId, organizationIds }) => {
      await this.#end(userId, organizationIds);
      return {};
    },
    listOwnedOrganizations: async ({ userId }) => ({
      organizations: [...this.#roles.keys()]
        .filter((id) => this.#rank(id, userId) === 1)
        .map((organizationId) => ({ organizationId, ownerCount: this.ownersOf(organizationId).length })),
    }),
  };

  #audit(auditJson: string | undefined): { isAudited?: boolean } {
    if (auditJson === undefined) return {};
    this.audited.push(JSON.parse(auditJson));
    return { isAudited: true };
  }

  async #end(userId: string, organizationIds: readonly string[]): Promise<void> {
    for (const id of organizationIds) this.#requireOtherOwner(id, userId);
    const ended = organizationIds.filter((id) => this.#assignments.delete(`${id}:${userId}`));
    for (const id of ended) await this.onMembershipEnded(userId, id);
  }

  #verdict(organizationId: string, actorId: string, roleId: string): string {
    const role = this.#roles.get(organizationId)?.find(({ id }) => id === roleId);
    if (!role) return 'not-found';
    const own = this.#rank(organizationId, actorId);
    return own === 1 || (role.rank ?? 0) > own ? 'allowed' : 'above-own-rank';
  }

  #requireReach(organizationId: string, actorId: string, userId: string): void {
    const own = this.#rank(organizationId, actorId);
    if (own !== 1 && this.#rank(organizationId, userId) <= own) throw failures.forbidden();
  }

  #requireOtherOwner(organizationId: string, userId: string): void {
    const owners = this.ownersOf(organizationId);
    if (owners.length === 1 && owners[0] === userId) throw new AppError('conflict', 'errors.rbac.lastOwner');
  }
}
