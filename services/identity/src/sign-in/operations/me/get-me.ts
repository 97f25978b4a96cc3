import { callerOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { myOrganizations } from './my-organizations.ts';
import { Me, readProfile, showProfile } from './profile.ts';

export const getMe = operation({
  name: 'getMe',
  summary: 'The signed-in user, with accounts and address',
  kind: 'query',
  input: strict({
    relations: Type.Optional(
      Type.Array(Type.Enum(['organizations']), { maxItems: 1, description: 'organizations: of the person, with role and used projects' }),
    ),
  }),
  output: Me,
  access: { signedIn: 'shows the caller to themselves', whenLinked: true },
  support: 'allowed',
  scopes: 'none',
  verification: 'by-scope',
  isolation: { none: 'one query' },
  errors: ['SERVICE_UNAVAILABLE'],
  audit: { none: 'reads one’s own profile' },
  events: [],
  rest: { method: 'GET', path: '/api/me' },
  graphql: { field: 'me', type: 'Me' },
  relations: { organizations: myOrganizations },

  async handle(_input, context) {
    const { deps } = context;
    const { userId } = callerOf(context);
    return showProfile(await readProfile(deps.database, userId), context);
  },
});
