/**
 * Auth0's exports: of users (`user_id`), and of password hashes (`_id`), or both joined by line.
 */
import { type Entry, invalid, isEntry, type Row, textOf, toPerson } from './person.ts';

export function fromAuth0(entry: Entry): Row['found'] {
  const { _id: id, email, email_verified: emailVerified, passwordHash, name, user_metadata: metadata, blocked } = entry;
  const ownId = isEntry(id) ? textOf(id['$oid']) : undefined;
  const externalId = textOf(entry['user_id']) ?? (ownId === undefined ? undefined : `auth0|${ownId}`);
  if (externalId === undefined) return invalid('neither user_id nor _id: this is no export of Auth0', entry);
  if (blocked === true) return { fault: { status: 'skipped', reason: 'blocked in Auth0', email: textOf(email), externalId } };
  // Auth0 makes the address the name of who has given none.
  const isNamed = textOf(name) !== undefined && name !== email;
  // app_metadata stays behind: it decides about rights, and people may change their own metadata.
  return toPerson({
    email,
    externalId,
    emailVerified: emailVerified ?? false,
    metadata: metadata ?? null,
    name: isNamed ? name : null,
    ...(textOf(passwordHash) === undefined ? {} : { passwordHash, hashAlgorithm: 'bcrypt' }),
  });
}
