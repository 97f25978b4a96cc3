/** Of each limit null is the configured one, and 0 is none. */
export type Quotas = {
  readonly members: number | null;
  readonly projects: number | null;
  readonly apiKeys: number | null;
  /** null: any number. */
  readonly requestsPerMinute: number | null;
};

/** An account or organization as a platform administrator sees it. */
export type Tenant = {
  readonly id: string;
  readonly tenant: 'account' | 'organization';
  /** Of an account the owner's. */
  readonly name: string;
  readonly slug: string | null;
  readonly email: string | null;
  readonly ownerId: string | null;
  readonly memberCount: number;
  /** Each holds the place of a member. */
  readonly openInvitationCount: number;
  readonly projectCount: number;
  readonly suspendedAt: string | null;
  readonly suspensionReason: string | null;
  readonly quotas: Quotas;
  /** Of an organization: its service accounts may make organizations. */
  readonly canProvision: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly deletedAt: null;
};
