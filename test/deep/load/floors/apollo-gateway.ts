/**
 * The floor of the composed graph: @apollo/server and @apollo/gateway with their default settings
 * in front of the same services (SERVICES: name → socket), with the gateway's credential.
 */
import '../../../../services/gateway/src/graphql/no-telemetry.ts';
import { readFileSync } from 'node:fs';
import { Agent, type AgentOptions } from 'node:http';
import { ApolloGateway, RemoteGraphQLDataSource } from '@apollo/gateway';
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { createCredentialIssuer } from '@tessera/kernel/grpc';
import { doorPath } from '@tessera/server/lifecycle';

type Context = { readonly authorization?: string };

const sockets: Readonly<Record<string, string>> = JSON.parse(process.env.SERVICES ?? '{}');
const credential = createCredentialIssuer(process.env.INTERNAL_AUTH_SECRET ?? '', 'gateway');

function sourceOf(name: string, url: string): RemoteGraphQLDataSource<Context> {
  const source = new RemoteGraphQLDataSource<Context>({
    url,
    willSendRequest: ({ request, context }) => {
      request.http?.headers.set('x-tessera-service', credential(doorPath(name)));
      if (context.authorization !== undefined) request.http?.headers.set('authorization', context.authorization);
    },
  });
  const { fetcher } = source;
  // Node and the fetcher take these two, but their types do not name them.
  const throughSocket: AgentOptions & { readonly socketPath: string | undefined } = { keepAlive: true, socketPath: sockets[name] };
  const withAgent = { agent: new Agent(throughSocket) };
  source.fetcher = (address, options) => fetcher(address, { ...options, ...withAgent });
  return source;
}

const gateway = new ApolloGateway({
  supergraphSdl: readFileSync(process.env.SUPERGRAPH ?? '', 'utf8'),
  buildService: ({ name, url }) => sourceOf(name, `${url}/graphql`),
});
const server = new ApolloServer<Context>({ gateway });
const { url } = await startStandaloneServer(server, {
  listen: { host: '127.0.0.1', port: 0 },
  context: async ({ req }) => (req.headers.authorization === undefined ? {} : { authorization: req.headers.authorization }),
});
console.log(url.replace(/\/$/, ''));
process.on('SIGTERM', () => process.exit(0));
