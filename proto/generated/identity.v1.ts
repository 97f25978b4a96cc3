// Generated from identity/v1/service.proto by `npm run generate`. Do not edit.

export type Empty = Record<never, never>;

export type User = {
  id: string;
  name: string;
  pictureUrl?: string | undefined;
  metadataJson: string;
  createdAt: string;
  updatedAt: string;
  deletedAt?: string | undefined;
};

export type GetUsersRequest = {
  ids: readonly string[];
};

export type GetUsersResponse = {
  /** unknown ids are left out */
  users: readonly User[];
};

export type FindUserByEmailRequest = {
  email: string;
};

export type FindUserByEmailResponse = {
  userId?: string | undefined;
  name: string;
  isVerified: boolean;
};

export type RegisterInvitedRequest = {
  invitationId: string;
  organizationId: string;
  email: string;
  name: string;
  password: string;
};

export type RegisterInvitedResponse = {
  userId: string;
};

export type SendMailRequest = {
  messageId: string;
  to: string;
  template: string;
  language: string;
  dataJson: string;
};

export type MarkEmailVerifiedRequest = {
  userId: string;
  email: string;
};

export type IdentityMethods = {
  getUsers: { request: GetUsersRequest; response: GetUsersResponse };
  findUserByEmail: { request: FindUserByEmailRequest; response: FindUserByEmailResponse };
  /** Registers the addressee of an invitation (verified by the mail's token), emits user.registered with the invitation, which tenancy turns into the membership: one commit here drives the whole change. Idempotent per invitation. */
  registerInvited: { request: RegisterInvitedRequest; response: RegisterInvitedResponse };
  /** Sends a mail through the outbox of identity (invitations). Idempotent per message_id. */
  sendMail: { request: SendMailRequest; response: Empty };
  /** Marks the address of a user verified (an accepted invitation proves it). */
  markEmailVerified: { request: MarkEmailVerifiedRequest; response: Empty };
};
