// Asks what a user may do, over gRPC and over REST, and prints the answers.
import { apiKey, createAuthorizer } from '@tessera/authorizer';
import { grpcTransport } from '@tessera/authorizer/grpc';
import { restTransport } from '@tessera/authorizer/rest';

const { TESSERA_URL, TESSERA_GRPC, TESSERA_CLIENT_ID, TESSERA_CLIENT_SECRET, TESSERA_SCOPE, USER_TOKEN } = process.env;
const [tenant, ...id] = TESSERA_SCOPE.split(':');
const scope = { tenant, id: id.join(':') };
const credential = apiKey({ url: TESSERA_URL, clientId: TESSERA_CLIENT_ID, clientSecret: TESSERA_CLIENT_SECRET, scope });

const transports = {
  grpc: grpcTransport({ address: TESSERA_GRPC, credential }),
  rest: restTransport({ url: TESSERA_URL, credential }),
};
for (const [name, transport] of Object.entries(transports)) {
  const authorizer = createAuthorizer(transport);
  const ask = (action) => authorizer.isAuthorized({ userToken: USER_TOKEN, scope, resource: 'Role', action });
  console.log(name, 'read and create roles:', ...(await Promise.all(['Query', 'Create'].map(ask))));
  const { reason } = await authorizer.explain({ subject: { type: 'self' }, scope, resource: 'Role', action: 'Query' });
  console.log(name, 'this key:', reason);
  authorizer.close();
}
