/** People, as platform administrators see and block them. */
import { failures } from '@tessera/kernel/errors';
import { Id, Nullable, Timestamp } from '@tessera/kernel/operation';
import Type, { type Static } from 'typebox';
import { findPlatformPerson, type PlatformPerson as Person } from '../../../people/storage/blocked-people.ts';

export const PlatformUser = Type.Object({
  id: Id,
  name: Type.String(),
  email: Nullable(Type.String({ description: 'The first of their addresses, proven or not' })),
  isPlatformAdministrator: Type.Boolean(),
  isBlocked: Type.Boolean(),
  blockedAt: Nullable(Timestamp),
  blockReason: Nullable(Type.String()),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

export function toPlatformUser(person: Person): Static<typeof PlatformUser> {
  return { ...person, isBlocked: person.blockedAt !== null };
}

export async function requirePlatformUser(id: string, reader: Parameters<typeof findPlatformPerson>[0]): Promise<Person> {
  const person = await findPlatformPerson(reader, id);
  if (person === undefined) throw failures.notFound('User');
  return person;
}
