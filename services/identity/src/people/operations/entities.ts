/** The entities of the API, and their mapping from storage and other services. */
import { entityFields, FreeObject, Id, Metadata, NameOf, Nullable, strict, Timestamp } from '@tessera/kernel/operation';
import type * as rbac from '@tessera/proto/types/rbac.v1';
import type * as tenancy from '@tessera/proto/types/tenancy.v1';
import Type, { type Static } from 'typebox';
import type { AuthenticationMethod as Method, Person } from '../../ground/domain/people.ts';
import { isHeld } from '../domain/proven-address.ts';

export const User = Type.Object({
  ...entityFields,
  name: Type.String(),
  pictureUrl: Nullable(Type.String()),
  metadata: Metadata,
});

/** Of a person in a scope: rbac keeps the tags. */
export const primaryTagId = Nullable(Id);
export const MemberMetadata = FreeObject('Written by Owners and Admins, read by conditions as member.metadata,', 16);
export const ScopedUser = Type.Object({ ...User.properties, primaryTagId, memberMetadata: Type.Optional(MemberMetadata) });

/** rbac's, in relations. */
export const Role = Type.Object({
  ...entityFields,
  name: Type.String(),
  description: Nullable(Type.String()),
  metadata: Metadata,
  isBuiltIn: Type.Boolean(),
  primaryTagId,
});
export const Tag = Type.Object({ ...entityFields, name: Type.String(), color: Type.String() });

export const AccountType = Type.Enum(['personal', 'organization']);
export const Account = Type.Object({ ...entityFields, type: AccountType, ownerId: Id });

export const AuthenticationMethod = Type.Object({
  ...entityFields,
  userId: Id,
  provider: Type.String(),
  providerId: Nullable(Type.String()),
  isVerified: Type.Boolean({ description: 'Whether the mail that went to its address was opened, or a provider vouches for it' }),
  isHeld: Type.Boolean({
    description: 'Whether the reader of that mail is who signs in. Without it the address is no sign of whose account this is',
  }),
  isPrimary: Type.Boolean(),
  lastUsedAt: Nullable(Timestamp),
});

/**
 * The limit is longer than the policy's, so that the policy refuses a long password and names its
 * rule.
 */
export const Password = Type.String({ maxLength: 1_000, secret: true });
export const Address = Type.String({ minLength: 1, maxLength: 320 });
export const OneTimeToken = Type.String({ minLength: 1, maxLength: 200, secret: true });
/** The tokens of a session, as sign-in and refresh return them. */
export const sessionTokens = { accessToken: Type.String({ secret: true }), refreshToken: Type.String({ secret: true }) };
export const PasswordCredentials = strict({ password: Password }, { description: 'For e-mail: { password }', graphqlType: 'JSON' });
export const PersonName = NameOf(200);
export const InvitationMails = Type.Object({ isWanted: Type.Boolean() });
export const Success = Type.Object({ success: Type.Boolean() });
export const Message = Type.Object({ message: Type.String() });

export function toUser(person: Person, appUrl: string): Static<typeof User> {
  const { id, name, picturePath, metadata, createdAt, updatedAt, deletedAt } = person;
  return { id, name, pictureUrl: picturePath === null ? null : appUrl + picturePath, metadata, createdAt, updatedAt, deletedAt };
}

export function toMethod({ heldAt, ...method }: Method): Static<typeof AuthenticationMethod> {
  return { ...method, isHeld: isHeld({ ...method, heldAt }), deletedAt: null };
}

export function toRole({ metadataJson, description, primaryTagId, ...role }: rbac.RoleSummary) {
  const metadata = toMetadata(metadataJson);
  return { ...role, description: description ?? null, primaryTagId: primaryTagId ?? null, metadata, deletedAt: null };
}

export function toMetadata(json: string): Record<string, unknown> {
  return json === '' ? {} : JSON.parse(json);
}

export function toAccount(account: tenancy.Account): Static<typeof Account> {
  const type = account.type === 'organization' ? 'organization' : 'personal';
  const { id, ownerId, createdAt, updatedAt } = account;
  return { id, type, ownerId, createdAt, updatedAt, deletedAt: null };
}
