import { Id, Nullable, pageFields, pageOf, scopeField, scopeOf, strict, Timestamp } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { directoryStates, pageDirectoryPeople } from '../../storage/directory-people.ts';

const State = Type.Enum([...directoryStates], {
  description:
    'active: a member. inactive: switched off in the directory. invited: has not accepted yet. waiting: the account is being made. detached: a member on whom the directory does not act. absent: the directory says active, but they left, were removed by hand, or their invitation has ended; invite them, or take them out of the directory',
});

const DirectoryPerson = strict(
  {
    id: Type.String({ description: 'By SCIM', format: 'uuid' }),
    userName: Type.String({ examples: ['ada@example.com'] }),
    name: Type.String({ description: 'As the directory calls them; empty for none' }),
    email: Type.String({ examples: ['ada@example.com'] }),
    externalId: Nullable(Type.String({ description: 'The id of the directory' })),
    isActive: Type.Boolean({ description: 'What the directory said last' }),
    state: State,
    userId: Nullable(Id),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { description: 'A person whom the organization’s directory sends by SCIM' },
);

export const listDirectoryPeople = operation({
  name: 'listDirectoryPeople',
  summary: 'The people whom the directory of an organization has sent by SCIM, and what became of each here',
  kind: 'query',
  input: strict({ ...scopeField, ...pageFields(['userName', 'createdAt', 'updatedAt']), state: Type.Optional(State) }),
  output: pageOf(DirectoryPerson),
  access: { permission: 'Directory:Query' },
  scopes: ['organization'],
  verification: 'by-scope',
  errors: [],
  audit: { none: 'a list' },
  events: [],
  rest: { method: 'GET', path: '/api/directory-people' },
  graphql: { field: 'directoryPeople', type: 'DirectoryPersonPage', items: 'directoryPeople' },

  async handle({ scope: _scope, state, ...input }, context) {
    const values = { organizationId: scopeOf(context).id, ofState: state ?? null };
    const { rows, ...counts } = await pageDirectoryPeople(context.tx, values, input);
    return { items: rows, ...counts };
  },
});
