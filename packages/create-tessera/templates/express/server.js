import { claimsOf, requireToken } from '@tessera/verifier/express';
import express from 'express';
import { begin, finish, page, personOf, signOut, verifier } from './sign-in.js';

const app = express();

app.get('/', (request, response) => {
  response.send(page(personOf(request)));
});
app.get('/auth/sign-in', async (_request, response) => {
  const { address, cookies } = await begin();
  response.set('set-cookie', cookies).redirect(address);
});
app.get('/auth/callback', async (request, response) => {
  const cookies = await finish(request);
  if (cookies === undefined) response.status(400).send('Signing in did not work. Begin again.');
  else response.set('set-cookie', cookies).redirect('/');
});
app.post('/auth/sign-out', (request, response) => {
  const left = signOut(request);
  if (left === undefined) response.status(403).send('This form must come from the application itself.');
  else response.set('set-cookie', left.cookies).redirect(303, left.address);
});

/** Without a token 401, without the scope 403. */
const allowed = (scope) => [
  requireToken(verifier),
  (request, response, next) => (claimsOf(request).scopes.includes(scope) ? next() : response.status(403).json({ error: 'Forbidden' })),
];
app.get('/api/notes', allowed('note:read'), (request, response) => {
  response.json({ notes: ['Buy milk'], of: claimsOf(request).org_id ?? null });
});
app.post('/api/notes', allowed('note:write'), (_request, response) => {
  response.status(201).json({ written: true });
});

app.listen(Number(process.env.PORT), 'localhost', () => console.log(process.env.APP_URL));
