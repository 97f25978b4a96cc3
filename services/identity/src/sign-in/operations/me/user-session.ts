import { entityFields, Id, Nullable, Timestamp } from '@tessera/kernel/operation';
import Type, { type Static } from 'typebox';
import type { Session } from '../../storage/sessions.ts';

export const UserSession = Type.Object({
  ...entityFields,
  userId: Id,
  authenticationMethodId: Nullable(Id),
  audience: Type.String(),
  scope: Nullable(Type.Object({ tenant: Type.String(), id: Type.String() })),
  userAgent: Type.String(),
  ipAddress: Type.String(),
  expiresAt: Timestamp,
  lastUsedAt: Timestamp,
  isCurrent: Type.Boolean(),
});

export function toSession(session: Session, currentId: string): Static<typeof UserSession> {
  return { ...session, deletedAt: null, isCurrent: session.id === currentId };
}
