/** The floor of any HTTP response: bare Fastify routes with constant bodies, on LISTEN. */
import Fastify from 'fastify';

const app = Fastify({ keepAliveTimeout: 75_000 });
const small = { success: true, data: { authorized: true, reason: 'PERMISSION_GRANTED_NO_CONDITION' } };
const keySet = {
  keys: [0, 1].map((kid) => ({ kty: 'RSA', kid: `${kid}`.padStart(36, '0'), use: 'sig', alg: 'RS256', n: 'n'.repeat(342), e: 'AQAB' })),
};

const organizations = { organizations: [{ __typename: 'Organization', id: 'one', name: 'Acme' }], totalCount: 1 };
const rolesOfOne = [{ roles: ['Owner', 'Admin', 'Dev', 'Viewer'].map((name, rank) => ({ id: name, name, rank })) }];

app.get('/ready', async () => ({ status: 'ready' }));
app.get('/api/me', async () => small);
app.get('/.well-known/jwks.json', async () => keySet);
app.post('/api/auth/is-authorized', async () => small);

// Two subgraphs in one: the fetch from tenancy and the following fetch from rbac.
app.post<{ Body: { query: string } }>('/graphql', async ({ body: { query } }) => ({
  data: query.includes('_entities') ? { _entities: rolesOfOne } : query.includes('_service') ? {} : { organizations },
}));

const { LISTEN } = process.env;
console.log(
  LISTEN === undefined ? await app.listen({ host: '127.0.0.1', port: 0 }) : `unix:${await app.listen({ path: LISTEN }).then(() => LISTEN)}`,
);
process.on('SIGTERM', () => process.exit(0));
