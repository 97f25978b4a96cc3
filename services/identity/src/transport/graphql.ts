/** Fields that are computed, and references from other subgraphs. */

import { rowScope } from '@tessera/kernel/operation';
import { type EntityLoader, type FieldResolver, relationField } from '@tessera/server/graphql';
import { projectAppRelations } from '../apps/operations/project-app.ts';
import type { IdentityDeps } from '../deps.ts';
import { toUser } from '../people/operations/entities.ts';
import { primaryTag, userRelations } from '../people/operations/users/user-relations.ts';
import { findPeople } from '../people/storage/people.ts';
import { myOrganizations } from '../sign-in/operations/me/my-organizations.ts';

type Fields = Readonly<Record<string, FieldResolver<IdentityDeps>>>;
type Entities = Readonly<Record<string, EntityLoader<IdentityDeps>>>;

const primaryTagField = relationField('User.primaryTagId', primaryTag);

export const types: Readonly<Record<string, Fields>> = {
  MyUserSessionPage: { sessions: (page) => page.items },
  MyUserAuthenticationMethodPage: { authenticationMethods: (page) => page.items },
  User: {
    // Without a scope there are no tags: such a row may be a person who has just deleted their
    // accounts.
    primaryTagId: (row, args, context) =>
      row.primaryTagId !== undefined || rowScope(row) === undefined ? (row.primaryTagId ?? null) : primaryTagField(row, args, context),
    authenticationMethods: relationField('User.authenticationMethods', userRelations.authenticationMethods),
  },
  Me: { organizations: relationField('Me.organizations', myOrganizations) },
  ProjectApp: { tags: relationField('ProjectApp.tags', projectAppRelations.tags) },
};

/**
 * A reference comes from a row that its own subgraph has authorized, such as a member. A deleted
 * person is null.
 */
export const entities: Entities = {
  async User(references, { deps }) {
    const people = await findPeople(deps.database, [...new Set(references.map(({ id }) => String(id)))]);
    const found = new Map(people.map((person) => [person.id, person]));
    return references.map((reference) => {
      const person = found.get(String(reference.id));
      const scope = rowScope(reference);
      return person === undefined ? null : { ...toUser(person, deps.settings.appUrl), ...(scope === undefined ? {} : { scope }) };
    });
  },
};
