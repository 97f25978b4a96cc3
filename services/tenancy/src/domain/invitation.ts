export const invitationStatuses = ['pending', 'accepted', 'expired', 'revoked'] as const;
export type InvitationStatus = (typeof invitationStatuses)[number];

export type Invitation = {
  id: string;
  organizationId: string;
  email: string;
  roleId: string;
  /** As of the moment it was read: one that is pending past its end reads as expired. */
  status: InvitationStatus;
  invitedBy: string;
  invitedAt: string;
  expiresAt: string;
  acceptedAt: string | null;
  createdAt: string;
  updatedAt: string;
  deletedAt: string | null;
};

/** Another mail, the same term: only while it can still be accepted. */
export function canResend({ status }: Invitation): boolean {
  return status === 'pending';
}

/** A new term: also for one that has run out. */
export function canRenew({ status }: Invitation): boolean {
  return status === 'pending' || status === 'expired';
}

/** Takes the offer back: one that was accepted is a membership now, and is ended as such. */
export function canRevoke({ status }: Invitation): boolean {
  return status === 'pending' || status === 'expired';
}

const DAY_MS = 24 * 60 * 60 * 1000;

export function expiryOf(now: Date, lifetimeDays: number): Date {
  return new Date(now.getTime() + lifetimeDays * DAY_MS);
}
