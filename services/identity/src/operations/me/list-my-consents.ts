import { callerOf, Id, pageOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { pageConsentsOfUser } from '../../storage/project-app-consents.ts';
import { consentFields, pageInput } from '../project-apps/list-consents.ts';

const MyConsent = Type.Object({
  app: Type.Object({ clientId: Type.String(), name: Type.String() }),
  project: Type.Object({ id: Id, scope: Type.Object({ tenant: Type.String(), id: Type.String() }) }),
  ...consentFields,
});

export const listMyConsents = operation({
  name: 'listMyConsents',
  summary: 'The apps that may act in the caller’s name, and what they may do; the latest used first',
  kind: 'query',
  input: strict(pageInput),
  output: pageOf(MyConsent),
  access: { signedIn: 'shows the caller’s own consents' },
  scopes: 'none',
  verification: 'by-scope',
  errors: [],
  audit: { none: 'reads one’s own consents' },
  events: [],
  rest: { method: 'GET', path: '/api/me/consents' },
  graphql: { field: 'myConsents', items: 'myConsents' },

  async handle(page, context) {
    const { rows, totalCount, hasNextPage } = await pageConsentsOfUser(context.tx, callerOf(context).userId, page);
    const items = rows.map(({ clientId, name, scopeTenant: tenant, scopeId: id, scopes, grantedAt, lastUsedAt }) => ({
      app: { clientId, name },
      project: { id: id.slice(id.indexOf(':') + 1), scope: { tenant, id } },
      ...{ scopes: [...scopes], grantedAt, lastUsedAt },
    }));
    return { items, totalCount, hasNextPage };
  },
});
