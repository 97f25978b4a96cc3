export const invitationStatuses = ['pending', 'accepted', 'expired', 'revoked'] as const;
export type InvitationStatus = (typeof invitationStatuses)[number];

export type Invitation = {
  id: string;
  organizationId: string;
  email: string;
  /** As the one who invites wrote it. */
  name: string | null;
  roleId: string;
  /** At the time of reading: a pending invitation past `expiresAt` is 'expired'. */
  status: InvitationStatus;
  invitedBy: string;
  invitedAt: string;
  expiresAt: string;
  acceptedAt: string | null;
  /** False when the address wanted no invitation mails at the last sending. */
  isMailed: boolean;
  createdAt: string;
  updatedAt: string;
  deletedAt: string | null;
};

/** Resending keeps the expiry date, so the invitation must still be open. */
export function canResend({ status }: Invitation): boolean {
  return status === 'pending';
}

/** Renewing sets a new expiry date, so an expired invitation qualifies too. */
export function canRenew({ status }: Invitation): boolean {
  return status === 'pending' || status === 'expired';
}

/** An accepted invitation is a membership: it ends by removing the member. */
export function canRevoke({ status }: Invitation): boolean {
  return status === 'pending' || status === 'expired';
}

const dayMs = 24 * 60 * 60 * 1000;

export function expiryOf(now: Date, lifetimeDays: number): string {
  return new Date(now.getTime() + lifetimeDays * dayMs).toISOString();
}
