import { entityFields, Id, Nullable, strict, Timestamp } from '@tessera/kernel/operation';
import Type from 'typebox';
import { invitationStatuses } from '../../domain/invitation.ts';

export const InvitationStatusSchema = Type.Enum([...invitationStatuses]);

/** Neither the token nor its hash is a field: the token is only in the mail. */
export const InvitationSchema = strict({
  ...entityFields,
  organizationId: Id,
  email: Type.String(),
  name: Nullable(Type.String({ description: 'As the one who invites wrote it; the person may choose another' })),
  roleId: Id,
  status: InvitationStatusSchema,
  invitedBy: Id,
  invitedAt: Timestamp,
  expiresAt: Timestamp,
  acceptedAt: Nullable(Timestamp),
  isMailed: Type.Boolean({
    description:
      'False when the address wants no invitation mails: nothing was sent. Tell the person yourself; they can allow the mails again',
  }),
});

export const InvitationToken = Type.String({ minLength: 1, maxLength: 256, secret: true, description: 'From the link in the mail' });
