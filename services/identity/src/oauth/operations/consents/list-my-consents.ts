import { callerOf, Id, Nullable, pageOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { pageConsentsOfUser } from '../../../apps/storage/project-app-consents.ts';
import { namesOfScopes } from '../../../ground/peers/names.ts';
import { operation } from '../../deps.ts';
import { consentFields, pageInput } from './list-consents.ts';

const MyConsent = Type.Object({
  app: Type.Object({ clientId: Type.String(), name: Type.String() }),
  project: Type.Object({ id: Id, name: Nullable(Type.String()), scope: Type.Object({ tenant: Type.String(), id: Type.String() }) }),
  organization: Nullable(Type.Object({ name: Type.String() })),
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
  graphql: { field: 'myConsents', type: 'MyConsentPage', items: 'myConsents' },

  async handle(page, context) {
    const { rows, totalCount, hasNextPage } = await pageConsentsOfUser(context.tx, callerOf(context).userId, page);
    return { rows, totalCount, hasNextPage };
  },

  /** Other services are asked after the transaction, so that no connection waits for them. */
  async complete({ rows, totalCount, hasNextPage }, { deps }) {
    const names = await namesOfScopes(
      rows.map(({ scopeTenant: tenant, scopeId: id }) => ({ tenant, id })),
      deps,
    );
    const items = rows.map(({ clientId, name, scopeTenant: tenant, scopeId: id, scopes, grantedAt, lastUsedAt }, index) => {
      const { project = null, organization = null } = names[index] ?? {};
      return {
        app: { clientId, name },
        project: { id: id.slice(id.indexOf(':') + 1), name: project, scope: { tenant, id } },
        organization: organization === null ? null : { name: organization },
        scopes: [...scopes],
        grantedAt,
        lastUsedAt,
      };
    });
    return { items, totalCount, hasNextPage };
  },
});
