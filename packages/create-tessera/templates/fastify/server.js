import { claimsOf, requireToken } from '@tessera/verifier/fastify';
import fastify from 'fastify';
import { begin, finish, page, personOf, signOut, verifier } from './sign-in.js';

const app = fastify();
// The form to sign out has no fields.
app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, async () => ({}));

app.get('/', async (request, reply) => reply.type('text/html').send(page(personOf(request))));
app.get('/auth/sign-in', async (_request, reply) => {
  const { address, cookies } = await begin();
  return reply.header('set-cookie', cookies).redirect(address);
});
app.get('/auth/callback', async (request, reply) => {
  const cookies = await finish(request);
  if (cookies === undefined) return reply.code(400).send('Signing in did not work. Begin again.');
  return reply.header('set-cookie', cookies).redirect('/');
});
app.post('/auth/sign-out', async (request, reply) => {
  const left = signOut(request);
  if (left === undefined) return reply.code(403).send('This form must come from the application itself.');
  return reply.header('set-cookie', left.cookies).redirect(left.address, 303);
});

/** Without a token 401, without the scope 403. */
const allowed = (scope) => ({
  onRequest: requireToken(verifier),
  preHandler: async (request, reply) =>
    claimsOf(request).scopes.includes(scope) ? undefined : reply.code(403).send({ error: 'Forbidden' }),
});
app.get('/api/notes', allowed('note:read'), async (request) => ({ notes: ['Buy milk'], of: claimsOf(request).org_id ?? null }));
app.post('/api/notes', allowed('note:write'), async (_request, reply) => reply.code(201).send({ written: true }));

await app.listen({ host: 'localhost', port: Number(process.env.PORT) });
console.log(process.env.APP_URL);
