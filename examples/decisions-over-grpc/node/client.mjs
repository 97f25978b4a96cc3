// Asks Tessera what a user may do, over gRPC. Needs @grpc/grpc-js and @grpc/proto-loader.
import { readFileSync } from 'node:fs';
import grpc from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

const { TESSERA_URL, TESSERA_GRPC, TESSERA_CA, TESSERA_CLIENT_ID, TESSERA_CLIENT_SECRET, TESSERA_SCOPE, PROTO_DIR, USER_TOKEN, USER_ID } =
  process.env;

const { rbac } = grpc.loadPackageDefinition(
  loadSync('rbac/v1/authorization.proto', { includeDirs: [PROTO_DIR], defaults: true, enums: String }),
);
const channel = TESSERA_CA ? grpc.credentials.createSsl(readFileSync(TESSERA_CA)) : grpc.credentials.createInsecure();
const authorization = new rbac.v1.Authorization(TESSERA_GRPC, channel);

// The access token lives for 15 minutes; a new one is fetched a minute before its end.
let token = { value: '', endsAt: 0 };
async function accessToken() {
  if (Date.now() < token.endsAt - 60_000) return token.value;
  const [tenant, ...id] = TESSERA_SCOPE.split(':');
  const response = await fetch(`${TESSERA_URL}/api/auth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ clientId: TESSERA_CLIENT_ID, clientSecret: TESSERA_CLIENT_SECRET, scope: { tenant, id: id.join(':') } }),
  });
  if (!response.ok) throw new Error(`no access token: ${response.status} ${await response.text()}`);
  const { data } = await response.json();
  token = { value: data.accessToken, endsAt: Date.now() + data.expiresIn * 1000 };
  return token.value;
}

async function call(method, request) {
  const metadata = new grpc.Metadata();
  metadata.set('authorization', `Bearer ${await accessToken()}`);
  return new Promise((resolve, reject) => {
    authorization[method](request, metadata, { deadline: Date.now() + 2_000 }, (error, answer) =>
      error ? reject(error) : resolve(answer),
    );
  });
}

// 1. What may this user do? The user's own access token says who it is, and Tessera verifies it.
const one = await call('isAuthorized', { userToken: USER_TOKEN, resource: 'Role', action: 'Query' });
console.log('user token:', one.authorized, one.reason);

// 2. Up to 1,000 questions at once, here about a user by id. It takes Decision:Evaluate.
const subject = { type: 'user', userId: USER_ID };
const { decisions } = await call('isAuthorizedMany', {
  checks: ['Query', 'Create'].map((action) => ({ subject, resource: 'Role', action })),
});
console.log('by name:', decisions.map(({ authorized }) => authorized).join(' '));

// 3. A refusal of the call itself is an error with a status, never a decision.
try {
  await call('isAuthorized', {
    subject: { type: 'self' },
    scope: { tenant: 'organization', id: USER_ID },
    resource: 'Role',
    action: 'Query',
  });
} catch (error) {
  console.log('elsewhere:', grpc.status[error.code]);
}
authorization.close();
