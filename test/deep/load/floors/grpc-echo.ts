/** The floor of any gRPC call: grpc-js with rbac's messages and a constant response. */

import { fileURLToPath } from 'node:url';
import { loadPackageDefinition, Server, ServerCredentials } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

const file = fileURLToPath(new URL('../../../../proto/rbac/v1/authorization.proto', import.meta.url));
// proto-loader does not type what it loads at run time.
const loaded = loadPackageDefinition(loadSync(file, { defaults: true })) as unknown as {
  rbac: { v1: { Authorization: { service: Parameters<Server['addService']>[0] } } };
};
const decision = { authorized: true, reason: 'PERMISSION_GRANTED_NO_CONDITION' };
type Answer = (error: null, response: object) => void;

const server = new Server();
server.addService(loaded.rbac.v1.Authorization.service, {
  isAuthorized: (_call: unknown, answer: Answer) => answer(null, decision),
  isAuthorizedMany: (call: { request: { checks: readonly unknown[] } }, answer: Answer) =>
    answer(null, { decisions: call.request.checks.map(() => decision) }),
  listPermissions: (_call: unknown, answer: Answer) => answer(null, { permissions: [] }),
});
server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  console.log(`127.0.0.1:${port}`);
});
process.on('SIGTERM', () => process.exit(0));
