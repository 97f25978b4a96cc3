import { buildSubgraphSchema } from '@apollo/subgraph';
import Fastify from 'fastify';
import { type DocumentNode, execute, GraphQLError, graphqlSync, parse, validate } from 'graphql';

type Resolvers = Record<string, Record<string, unknown>>;
export type StandInSubgraph = { readonly name: string; readonly typeDefs: string; readonly resolvers: Resolvers };

const link =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.7", import: ["@key", "@shareable", "@external", "@requires"])';

/** A small graph like the real one: shared types, lists in lists, mutations. */
export const standIns: readonly StandInSubgraph[] = [
  {
    name: 'identity',
    typeDefs: `${link}
      type Query { me: User users(input: UsersInput): UserPage userOrError(id: String): User strictUser(id: String): User! search(text: String): [Found!] }
      type Mutation { login(input: LoginInput!): Session refreshSession: Session register(input: LoginInput!): Session updateMyUser(name: String!): User }
      input UsersInput { limit: Int = 2 sort: Sort = asc ids: [String!] }
      input LoginInput { provider: String! providerId: String! }
      enum Sort { asc desc }
      interface Named { name: String }
      type UserPage { users: [User!]! totalCount: Int! }
      type User implements Named @key(fields: "id") { id: ID! name: String friend: User failing: String scope: EntityScope }
      type Robot implements Named { name: String serial: Int! }
      union Found = User | Robot
      type EntityScope @shareable { tenant: String! id: String! }
      type Session { accessToken: String! user: User }`,
    resolvers: {
      Query: {
        me: () => user('1'),
        users: (_: unknown, { input }: { input?: { limit: number; sort: string; ids?: string[] } }) => {
          const ids = input?.ids ?? ['1', '2', '3'].slice(0, input?.limit ?? 2);
          return { users: (input?.sort === 'desc' ? [...ids].reverse() : ids).map(user), totalCount: 3 };
        },
        userOrError: (_: unknown, { id }: { id?: string }) => {
          if (id === undefined) throw notFound();
          return user(id);
        },
        strictUser: (_: unknown, { id }: { id?: string }) => {
          if (id === undefined) throw notFound();
          return user(id);
        },
        search: () => [user('1'), { __typename: 'Robot', name: 'Robbie', serial: 7 }],
      },
      Mutation: {
        login: (_: unknown, { input }: { input: { providerId: string } }) => ({ accessToken: `for ${input.providerId}`, user: user('1') }),
        register: () => ({ accessToken: 'new', user: user('2') }),
        refreshSession: () => ({ accessToken: 'fresh' }),
        updateMyUser: (_: unknown, { name }: { name: string }) => ({ ...user('1'), name }),
      },
      Found: { __resolveType: (found: { __typename: string }) => found.__typename },
      User: {
        __resolveReference: ({ id }: { id: string }) => user(id),
        friend: ({ id }: { id: string }) => user(String(Number(id) + 1)),
        failing: () => {
          throw notFound();
        },
      },
    },
  },
  {
    name: 'tenancy',
    typeDefs: `${link}
      type Query { organizations: OrganizationPage organizationMembers(input: MembersInput): [Member!] }
      type Mutation { createOrganization(name: String!): Organization }
      input MembersInput { organizationId: String }
      type OrganizationPage { organizations: [Organization!]! totalCount: Int! }
      type Organization @key(fields: "id") { id: ID! name: String members: [Member!] }
      type Member { id: ID! user: User }
      type User @key(fields: "id") { id: ID! organizations: [Organization!] }`,
    resolvers: {
      Query: {
        organizations: () => ({ organizations: [organization('a'), organization('b')], totalCount: 2 }),
        organizationMembers: () => [
          { id: 'm1', user: { id: '1' } },
          { id: 'm2', user: { id: '2' } },
        ],
      },
      Mutation: { createOrganization: (_: unknown, { name }: { name: string }) => ({ id: 'new', name }) },
      Organization: {
        __resolveReference: ({ id }: { id: string }) => organization(id),
        members: ({ id }: { id: string }) => [{ id: `m-${id}`, user: { id: '1' } }],
      },
      User: { __resolveReference: ({ id }: { id: string }) => ({ id }), organizations: () => [organization('a')] },
    },
  },
  {
    name: 'rbac',
    typeDefs: `${link}
      type Query { roles: [Role!] }
      type Role @key(fields: "id") { id: ID! name: String groups: [Group!] }
      type Group { id: ID! name: String }
      type Organization @key(fields: "id") { id: ID! roles: [Role!] }
      type EntityScope @shareable { tenant: String! id: String! }
      type User @key(fields: "id") { id: ID! scope: EntityScope @external roles: [Role!] @requires(fields: "scope { tenant id }") }`,
    resolvers: {
      Query: { roles: () => [role('r1'), role('r2')] },
      Organization: {
        __resolveReference: ({ id }: { id: string }) => ({ id }),
        roles: ({ id }: { id: string }) => [role(`owner-of-${id}`)],
      },
      User: {
        __resolveReference: (reference: object) => reference,
        roles: ({ id, scope }: { id: string; scope?: { tenant: string } }) => [role(`${scope?.tenant}-${id}`)],
      },
    },
  },
];

function user(id: string) {
  return { __typename: 'User', id, name: `User ${id}`, scope: { tenant: 'organization', id: `scope-${id}` } };
}
function organization(id: string) {
  return { id, name: `Organization ${id}` };
}
function role(id: string) {
  return { id, name: `Role ${id}`, groups: [{ id: `g-${id}`, name: 'Group' }] };
}
function notFound() {
  return new GraphQLError('User not found.', { extensions: { code: 'NOT_FOUND', resource: 'User' } });
}

/** The schema that a service returns for `_service`. */
export function sdlOf({ typeDefs, resolvers }: StandInSubgraph): string {
  const schema = buildSubgraphSchema({ typeDefs: parse(typeDefs), resolvers: resolvers as never });
  const answer = graphqlSync({ schema, source: '{ _service { sdl } }' });
  return String((answer.data as { _service: { sdl: string } } | null)?._service.sdl);
}

export type RunningSubgraph = {
  readonly url: string;
  readonly received: { query: string; headers: Record<string, unknown> }[];
  become(subgraph: StandInSubgraph): void;
  close(): Promise<void>;
};

/** Serves a subgraph until the test ends, and records the queries that it receives. */
export async function startSubgraph(cleanup: AsyncDisposableStack, subgraph: StandInSubgraph): Promise<RunningSubgraph> {
  const build = ({ typeDefs, resolvers }: StandInSubgraph) =>
    buildSubgraphSchema({ typeDefs: parse(typeDefs), resolvers: resolvers as never });
  let schema = build(subgraph);
  const received: RunningSubgraph['received'] = [];
  const app = Fastify({ forceCloseConnections: true });
  app.get('/ready', () => ({}));
  app.post('/graphql', async (request, reply) => {
    const { query, variables, operationName } = request.body as {
      query: string;
      variables?: Record<string, unknown>;
      operationName?: string;
    };
    if (!query.includes('_service')) received.push({ query, headers: request.headers });
    const document: DocumentNode = parse(query);
    const faults = validate(schema, document);
    if (faults.length > 0) return reply.code(400).send({ errors: faults });
    if (query.includes('refreshSession')) reply.header('set-cookie', ['refresh_token=new; Path=/; HttpOnly', 'other=1']);
    if (query.startsWith('mutation')) reply.header('x-consistency-token', `of-${subgraph.name}`);
    const { data, errors } = await execute({ schema, document, variableValues: variables, operationName });
    return {
      data,
      ...(errors === undefined ? {} : { errors: errors.map(({ message, extensions, path }) => ({ message, extensions, path })) }),
    };
  });
  cleanup.defer(() => app.close());
  return {
    url: await app.listen({ host: '127.0.0.1', port: 0 }),
    received,
    become: (next) => {
      schema = build(next);
    },
    close: () => app.close(),
  };
}
