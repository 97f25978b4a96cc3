export const grantStatuses = ['offered', 'active', 'suspended', 'declined', 'ended'] as const;
export type GrantStatus = (typeof grantStatuses)[number];

/** A project of one organization that another organization uses. */
export type ProjectGrant = {
  id: string;
  projectId: string;
  ownerOrganizationId: string;
  /** The customer. Null until an offer by mail is taken. */
  organizationId: string | null;
  status: GrantStatus;
  /** null: all roles of the project that are grantable. */
  roleIds: string[] | null;
  allowCustomRoles: boolean;
  maxMembers: number | null;
  metadata: Record<string, unknown>;
  reason: string | null;
  /** Where an offer by mail went. */
  email: string | null;
  /** Until when an offer by mail can be taken. */
  expiresAt: string | null;
  /** False when the address wanted no invitation mails. */
  isMailed: boolean;
  createdAt: string;
  updatedAt: string;
  acceptedAt: string | null;
  endedAt: string | null;
};

/** The states that a move leads from, and to. Any other state refuses it. */
export const grantMoves = {
  accept: { from: ['offered'], to: 'active' },
  decline: { from: ['offered'], to: 'declined' },
  suspend: { from: ['active'], to: 'suspended' },
  resume: { from: ['suspended'], to: 'active' },
  end: { from: ['offered', 'active', 'suspended'], to: 'ended' },
  leave: { from: ['active', 'suspended'], to: 'ended' },
} as const satisfies Record<string, { readonly from: readonly GrantStatus[]; readonly to: GrantStatus }>;
export type GrantMove = keyof typeof grantMoves;

/** Whether its owner serves the people of a customer by it. */
export function isInUse({ status }: Pick<ProjectGrant, 'status'>): boolean {
  return status === 'active' || status === 'suspended';
}

/** The scope in which the customer uses the project. */
export function grantScope({ organizationId, projectId }: Pick<ProjectGrant, 'organizationId' | 'projectId'>) {
  if (organizationId === null) throw new Error('an offer that nobody has taken has no scope');
  return { tenant: 'organizationProject', id: `${organizationId}:${projectId}` } as const;
}

/** The project's own scope, where its owner is. */
export function productScope({ ownerOrganizationId, projectId }: Pick<ProjectGrant, 'ownerOrganizationId' | 'projectId'>) {
  return { tenant: 'organizationProject', id: `${ownerOrganizationId}:${projectId}` } as const;
}
