/**
 * Every durable event between services: its producer, its subscribers and its payload. The outbox
 * writes one row per subscriber. Handlers must accept repetition and any order between different
 * keys.
 */
type ScopeData = { readonly tenant: string; readonly id: string };

type AccountData = {
  readonly id: string;
  readonly type: 'personal' | 'organization';
  readonly ownerId: string;
  readonly createdAt: string;
  readonly updatedAt: string;
};

/** The profile and tags of one change of a user, whose roles or metadata rbac commits first. */
export type UserRest = {
  readonly userId: string;
  /** `updatedAt` of the person when the change was requested. */
  readonly seenAt: string;
  readonly profile: { readonly name?: string; readonly metadata?: Readonly<Record<string, unknown>> };
  readonly tagged?: EventPayloads['entity.tagged'];
};

export type RegisteredPerson = {
  readonly userId: string;
  readonly name: string;
  readonly email: string | null;
  readonly isVerified: boolean;
  readonly account: { readonly id: string; readonly type: 'personal' | 'organization' };
};

type OwnersMail = {
  messageId: string;
  organizationId: string;
  template: string;
  language: string;
  data: Record<string, string>;
};

export type EventPayloads = {
  /** identity: a person who can sign in. `invitation` is set when the registration accepted one. */
  'user.registered': RegisteredPerson & { invitation?: { id: string; organizationId: string } };
  /** identity: the same of many, at most 100: an event each would cost more than the import. */
  'users.imported': { people: RegisteredPerson[] };
  /** identity: people whom an organization's directory sends, at most 100, each new. */
  'users.provisioned': { people: (RegisteredPerson & { invitation: { id: string; organizationId: string } })[] };
  /** identity. A user made in, or joined to, a scope (POST /api/users, project sign-up). */
  'user.joined': {
    userId: string;
    name: string;
    email: string | null;
    scope: ScopeData;
    roleIds: string[];
    tagIds: string[];
    primaryTagId: string | null;
    createdBy: string | null;
  };
  'user.updated': { userId: string; name: string; email: string | null; isVerified: boolean };
  'user.deleted': { userId: string; hard: boolean };
  /** identity. The owner of the address has taken the account back: what was made before ends. */
  'user.reclaimed': { userId: string };
  'projectApp.deleted': { projectAppId: string; scope: ScopeData };
  /** Exactly these tags from now on, on something that is identity's. */
  'entity.tagged': { scope: ScopeData; entity: 'user' | 'projectApp'; entityId: string; tagIds: string[]; primaryTagId: string | null };
  /** A further account of a person. identity has decided on it; tenancy makes it. */
  'account.requested': { userId: string; account: { id: string; type: 'personal' | 'organization' } };
  /** tenancy. `accounts` are all that the owner has with this one. */
  'account.created': { accountId: string; type: 'personal' | 'organization'; ownerId: string; accounts: AccountData[] };
  /** tenancy: the accounts of people who were imported, each its owner's only one. */
  'accounts.imported': { accounts: AccountData[] };
  'account.deleted': { accountId: string; projectIds: string[]; hard: boolean };
  'accounts.closed': { userId: string; hard: boolean };
  /** `ownerId` null: a service account has made it, and its first Owner is invited. */
  'organization.created': { organizationId: string; ownerId: string | null };
  /** What the organization demands of sessions from now on. */
  'organization.secured': { organizationId: string; requireSecondFactor: boolean; maxSessionAgeMinutes: number | null };
  /**
   * identity: by which connections the members of the organization have to come from now on; none
   * when nothing is enforced. Of who is named, Owners with a second factor need not. `since`: their
   * proof must be younger.
   */
  'organization.connectionsEnforced': { organizationId: string; connectionIds: string[]; breakGlassUserIds: string[]; since: string };
  /** identity: a mail to the Owners of the organization about its connection. */
  'connection.ownersTold': OwnersMail;
  /**
   * How the operator restricts an account or organization from now on. null: no limit of API keys
   * but the configured one, and none of requests. The version before says nothing of requests.
   */
  'tenant.restricted': { scope: ScopeData; isSuspended: boolean; mostApiKeys: number | null; requestsPerMinute?: number | null };
  'organization.deleted': { organizationId: string; projectIds: string[]; hard: boolean };
  'project.created': { scope: ScopeData; createdBy: string; tagIds: string[]; primaryTagId: string | null };
  /** Replaces the tags. The scope is the parent's, which owns the tags. */
  'project.tagged': { scope: ScopeData; projectId: string; tagIds: string[]; primaryTagId: string | null };
  'project.deleted': { scope: ScopeData; hard: boolean };
  /** tenancy. How an organization may use another's project from now on. `scope` is the grant's. */
  'grant.changed': {
    scope: ScopeData;
    grantId: string;
    projectId: string;
    ownerOrganizationId: string;
    isActive: boolean;
    isEnded: boolean;
    roleIds: string[] | null;
    allowCustomRoles: boolean;
    maxMembers: number | null;
    metadata: Readonly<Record<string, unknown>>;
  };
  /** identity. A service account has exactly these roles from now on; none once it is deleted. */
  'serviceAccount.changed': { id: string; scope: ScopeData; roleIds: string[] };
  /**
   * identity. The person who made a service account, or a credential of it, has left or lost a
   * role: it stays. `credentials` are theirs, `more` are accounts that no event names.
   */
  'serviceAccount.stays': {
    id: string;
    name: string;
    organizationId: string;
    makerId: string;
    maker: string;
    why: 'left' | 'demoted' | 'blocked';
    credentials?: string;
    more?: number;
  };
  /** identity. A directory token ends soon: the Owners are told. */
  'serviceAccount.tokenEnds': {
    id: string;
    accountId: string;
    accountName: string;
    organizationId: string;
    lastFour: string;
    expiresAt: string;
  };
  /** `invitedAt`: when another person invited them by hand. The version before leaves it out. */
  'member.added': { organizationId: string; userId: string; roleId: string; invitedAt?: string };
  /** tenancy. New people whom a directory has sent: none of them was a member before. */
  'members.provisioned': { organizationId: string; members: { userId: string; roleId: string }[] };
  /**
   * tenancy. What a directory has said by SCIM: groups as they are now, and people with all the
   * groups that they are in. `by`: its service account, or who attaches a member; null when an
   * account was linked. `isDetached`: a member keeps by hand what the directory gave.
   */
  'directory.changed': {
    organizationId: string;
    groups: { id: string; name: string; memberCount: number; isDeleted: boolean }[];
    people: { userId: string; groupIds: string[]; isDetached?: boolean }[];
    by: string | null;
  };
  /**
   * A mail that is sent if and only if its change commits. Its data contains the link's token, so
   * the outbox clears payloads on delivery.
   */
  'mail.requested': { messageId: string; to: string; template: string; language: string; data: Record<string, string> };
  /**
   * tenancy. A mail to all Owners of an organization: rbac knows who they are, and asks identity to
   * write to them.
   */
  'owners.told': OwnersMail;
  /** rbac. The same with the people: one mail to each, at a proven address. */
  'people.told': Omit<OwnersMail, 'organizationId'> & { userIds: string[] };
  /**
   * A user is out of a scope (membership ended, project user removed). `hard`: one who exists for
   * this scope only is deleted for good.
   */
  'user.left': { userId: string; scope: ScopeData; hard?: boolean };
  /** rbac. The last assignment of a member is gone: the membership ends. */
  'membership.ended': { userId: string; scope: ScopeData; hard?: boolean };
  /** rbac. Its part of a change of a user stands. identity does the rest, if it has not yet. */
  'userChange.begun': UserRest;
  /**
   * rbac. These users may do more in the scope, and in an organization's projects, than before.
   * What others hold for them (user keys, tokens of apps) ends: it must not rise with them.
   */
  'rights.grew': { userIds: string[]; scope: ScopeData };
  /** rbac. These users lost a role in the scope: what rests on their word is judged anew. */
  'rights.shrank': { userIds: string[]; scope: ScopeData };
  /** rbac. An organization has blocked or unblocked a member, or demands a proof (decision 28). */
  'member.restricted': {
    organizationId: string;
    userId: string;
    kind: 'block' | 'unblock' | 'end-sessions' | 'require-new-password' | 'password-changed';
  };
  /** identity. The platform has blocked a person, or unblocked them (null). */
  'user.restricted': { userId: string; blockedAt: string | null };
  /** identity. A new password was chosen or set by mail. */
  'user.passwordChanged': { userId: string };
  /** tenancy. From now on a scope has webhooks that are switched on, or none. */
  'webhooks.watched': { scopeId: string; isWatched: boolean };
  /** A row of the audit log of a scope with webhooks. A trigger writes it together with the row. */
  'audit.recorded': { row: Readonly<Record<string, unknown>> };
};

export type EventType = keyof EventPayloads;
export type ServiceName = 'identity' | 'tenancy' | 'rbac' | 'keys';

export const events: Readonly<Record<EventType, { producer: ServiceName | 'all'; subscribers: readonly ServiceName[] }>> = {
  'user.registered': { producer: 'identity', subscribers: ['tenancy'] },
  'users.imported': { producer: 'identity', subscribers: ['tenancy'] },
  'users.provisioned': { producer: 'identity', subscribers: ['tenancy'] },
  'user.joined': { producer: 'identity', subscribers: ['tenancy', 'rbac'] },
  'user.updated': { producer: 'identity', subscribers: ['tenancy'] },
  'user.deleted': { producer: 'identity', subscribers: ['tenancy', 'rbac', 'keys'] },
  'user.reclaimed': { producer: 'identity', subscribers: ['keys', 'tenancy'] },
  'projectApp.deleted': { producer: 'identity', subscribers: ['rbac'] },
  'entity.tagged': { producer: 'identity', subscribers: ['rbac'] },
  'serviceAccount.changed': { producer: 'identity', subscribers: ['rbac'] },
  'serviceAccount.stays': { producer: 'identity', subscribers: ['tenancy'] },
  'serviceAccount.tokenEnds': { producer: 'identity', subscribers: ['tenancy'] },
  'account.requested': { producer: 'identity', subscribers: ['tenancy'] },
  'account.created': { producer: 'tenancy', subscribers: ['rbac', 'identity'] },
  'accounts.imported': { producer: 'tenancy', subscribers: ['rbac', 'identity'] },
  'account.deleted': { producer: 'tenancy', subscribers: ['rbac', 'keys', 'identity'] },
  'accounts.closed': { producer: 'tenancy', subscribers: ['identity'] },
  'organization.created': { producer: 'tenancy', subscribers: ['rbac'] },
  'organization.secured': { producer: 'tenancy', subscribers: ['rbac'] },
  'organization.connectionsEnforced': { producer: 'identity', subscribers: ['rbac'] },
  'connection.ownersTold': { producer: 'identity', subscribers: ['rbac'] },
  'tenant.restricted': { producer: 'tenancy', subscribers: ['rbac', 'keys', 'identity'] },
  'organization.deleted': { producer: 'tenancy', subscribers: ['rbac', 'keys', 'identity'] },
  'project.created': { producer: 'tenancy', subscribers: ['rbac'] },
  'project.tagged': { producer: 'tenancy', subscribers: ['rbac'] },
  'project.deleted': { producer: 'tenancy', subscribers: ['rbac', 'keys', 'identity'] },
  'grant.changed': { producer: 'tenancy', subscribers: ['rbac', 'keys', 'identity'] },
  'member.added': { producer: 'tenancy', subscribers: ['rbac'] },
  'members.provisioned': { producer: 'tenancy', subscribers: ['rbac'] },
  'directory.changed': { producer: 'tenancy', subscribers: ['rbac'] },
  'mail.requested': { producer: 'tenancy', subscribers: ['identity'] },
  'owners.told': { producer: 'tenancy', subscribers: ['rbac'] },
  'people.told': { producer: 'rbac', subscribers: ['identity'] },
  'user.left': { producer: 'tenancy', subscribers: ['rbac', 'keys', 'identity'] },
  'membership.ended': { producer: 'rbac', subscribers: ['tenancy'] },
  'userChange.begun': { producer: 'rbac', subscribers: ['identity'] },
  'rights.grew': { producer: 'rbac', subscribers: ['keys', 'identity'] },
  'rights.shrank': { producer: 'rbac', subscribers: ['keys', 'identity'] },
  'member.restricted': { producer: 'rbac', subscribers: ['keys', 'identity'] },
  'user.restricted': { producer: 'identity', subscribers: ['rbac', 'keys'] },
  'user.passwordChanged': { producer: 'identity', subscribers: ['rbac'] },
  'webhooks.watched': { producer: 'tenancy', subscribers: ['identity', 'tenancy', 'rbac', 'keys'] },
  'audit.recorded': { producer: 'all', subscribers: ['tenancy'] },
};
