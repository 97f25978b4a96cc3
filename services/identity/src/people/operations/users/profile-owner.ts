/**
 * A person is shared by all tenants, and conditions of any tenant may read their metadata. So only
 * the person changes their name, metadata and picture. For a person who cannot sign in, the scope
 * that created them does.
 */
import { failures } from '@tessera/kernel/errors';
import { callerOf, type OperationContext, scopeOf } from '@tessera/kernel/operation';
import type { PeopleDeps } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { findPerson, hasSignIn } from '../../storage/people.ts';

/**
 * 403 unless the caller may change this profile. An API key or an app that acts for the person may
 * not.
 */
export async function assertMayChangeProfile(id: string, context: OperationContext<PeopleDeps>): Promise<void> {
  const { userId, claims } = callerOf(context);
  if (userId === id && claims.type === 'session') {
    // An account setting, whichever door it is changed through.
    if (claims.isVerified === false) throw failures.unverified();
    return;
  }
  const { database } = context.deps;
  const [person, signsIn] = await Promise.all([findPerson(database, id), hasSignIn(database, id)]);
  if (person === undefined) throw failures.notFound('User');
  if (signsIn) throw errors.profileOfOwnSignIn();
  const { tenant, id: scopeId } = scopeOf(context);
  if (person.home?.tenant !== tenant || person.home.id !== scopeId) throw errors.profileOfOtherScope();
}
