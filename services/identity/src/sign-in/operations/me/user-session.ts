import { entityFields, Id, Nullable, Timestamp } from '@tessera/kernel/operation';
import Type, { type Static } from 'typebox';
import type { ListedSession } from '../../storage/sessions.ts';

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
  grantedBy: Nullable(
    Type.Object(
      { sessionId: Id, userAgent: Type.String(), ipAddress: Type.String(), grantedAt: Timestamp },
      { description: 'For a session of a program: the one that granted it, as it was then. Null after a sign-in' },
    ),
  ),
  grantedSessions: Type.Integer({ description: 'How many sessions this one has granted to programs, also indirectly' }),
});

/** Of the operations that end a session. */
export const EndGranted = Type.Optional(
  Type.Boolean({ description: 'Whether the sessions end, too, that this one granted to programs, also indirectly. False when left out' }),
);

export function toSession(session: ListedSession, currentId: string): Static<typeof UserSession> {
  return { ...session, deletedAt: null, isCurrent: session.id === currentId };
}
