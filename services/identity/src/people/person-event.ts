import { failures } from '@tessera/kernel/errors';
import type { OutgoingEvent } from '@tessera/kernel/events';
import type { Transaction } from '@tessera/kernel/postgres';
import { addressOf } from '../ground/domain/people.ts';
import { isVerified } from '../ground/domain/session.ts';
import type { Reader } from '../ground/storage/reader.ts';
import { listMethods } from './storage/authentication-methods.ts';
import { findPerson } from './storage/people.ts';

/** Name, address and verification of a person, for services that keep a copy. */
export async function describePerson(reader: Reader, userId: string) {
  const [person, methods] = await Promise.all([findPerson(reader, userId), listMethods(reader, [userId])]);
  if (person === undefined) throw failures.notFound('User');
  return { userId, name: person.name, email: addressOf(methods), isVerified: isVerified(methods) };
}

export async function userUpdated(tx: Transaction, userId: string): Promise<OutgoingEvent> {
  return { type: 'user.updated', key: userId, payload: await describePerson(tx, userId) };
}
