/**
 * A person is one for all tenants, and conditions of any tenant may read their metadata. So nobody decides about the name, metadata and
 * picture of somebody who signs in for themselves; of somebody who can't, only the scope that made them does.
 */
import { failures } from '@tessera/kernel/errors';
import { callerOf, type OperationContext, scopeOf } from '@tessera/kernel/operation';
import type { IdentityDeps } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { findPerson, hasSignIn } from '../../storage/people.ts';

/** Refuses (403) who may not change this person's profile. A key or an app that acts for somebody is not that somebody. */
export async function assertMayChangeProfile(id: string, context: OperationContext<IdentityDeps>): Promise<void> {
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
