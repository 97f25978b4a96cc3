import { Id, pageOf, scopeField, strict, Timestamp } from '@tessera/kernel/operation';
import { longestPage } from '@tessera/kernel/postgres';
import Type from 'typebox';
import { projectTenants, requireProjectApp } from '../../../apps/operations/project-app.ts';
import { pageConsentsOfApp } from '../../../apps/storage/project-app-consents.ts';
import { toUser, User } from '../../../people/operations/entities.ts';
import { findPeople } from '../../../people/storage/people.ts';
import { operation } from '../../deps.ts';

export const pageInput = {
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: longestPage })),
};

/** What a person allowed. */
export const consentFields = { scopes: Type.Array(Type.String()), grantedAt: Timestamp, lastUsedAt: Timestamp };

export const listProjectAppConsents = operation({
  name: 'listProjectAppConsents',
  summary: 'Who allowed an app to act in their name, and what; the latest used first',
  kind: 'query',
  input: strict({ ...scopeField, id: Id, ...pageInput }),
  output: pageOf(Type.Object({ user: User, ...consentFields })),
  // What people gave to apps is about them: Owners and Admins hold this action.
  access: { permission: 'User:ExportData' },
  scopes: projectTenants,
  verification: 'by-scope',
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['NOT_FOUND'],
  audit: { none: 'a list of consents' },
  events: [],
  rest: { method: 'GET', path: '/api/project-apps/:id/consents' },
  graphql: { field: 'projectAppConsents', type: 'ProjectAppConsentPage', items: 'projectAppConsents' },

  async prepare({ id }, context) {
    await requireProjectApp(id, context);
  },

  async handle({ id, ...page }, { tx, deps }) {
    const { rows, totalCount, hasNextPage } = await pageConsentsOfApp(tx, id, page);
    const people = await findPeople(
      tx,
      rows.map(({ userId }) => userId),
    );
    const userOf = new Map(people.map((person) => [person.id, toUser(person, deps.settings.appUrl)]));
    const items = rows.flatMap(({ userId, scopes, grantedAt, lastUsedAt }) => {
      const user = userOf.get(userId);
      return user === undefined ? [] : [{ user, scopes: [...scopes], grantedAt, lastUsedAt }];
    });
    return { items, totalCount, hasNextPage };
  },
});
