import { randomUUID } from 'node:crypto';
import { createVerifier } from '@tessera/verifier';
import { claimsOf, requireToken } from '@tessera/verifier/express';
import express from 'express';
import { Webhook } from 'standardwebhooks';
import { html, page } from './pages.js';
import { begin, finish, isOwnForm, personOf, signOut } from './sign-in.js';
import { giveRole, keysOf, makeCustomer, mayDo, peopleOf, Refused, rolesOf } from './tessera.js';

const { TESSERA_ISSUER, TESSERA_URL, ORGANIZATION, PORT, WEBHOOK_SECRET } = process.env;
const app = express();

// What Tessera tells, before anything parses a body: the signature is over the bytes.
const webhook = new Webhook(WEBHOOK_SECRET);
const news = new Map();
app.post('/hooks/tessera', express.raw({ type: '*/*' }), (request, response) => {
  try {
    const { type, data } = webhook.verify(request.body.toString(), request.headers);
    // The same delivery may come twice.
    news.set(request.headers['webhook-id'], { type, customer: data.detail.organizationId });
    response.sendStatus(204);
  } catch {
    response.sendStatus(400);
  }
});

// The API: keys of customers, each token for one customer. Rows belong to the organization in the token, never to one that a request names.
const verifier = createVerifier({ issuers: [TESSERA_ISSUER], audience: TESSERA_URL });
const invoices = new Map();
const rowsOf = (customer) => invoices.get(customer) ?? invoices.set(customer, []).get(customer);
const may = (resource, action) => async (request, response, next) => {
  const token = request.headers.authorization.slice('Bearer '.length);
  if (claimsOf(request).org_id !== ORGANIZATION && (await mayDo(token, resource, action))) next();
  else response.status(403).json({ error: 'Forbidden' });
};
app.get('/api/invoices', requireToken(verifier), may('invoice', 'read'), (request, response) => {
  response.json({ invoices: rowsOf(claimsOf(request).org_id) });
});
app.post('/api/invoices/:number', requireToken(verifier), may('invoice', 'write'), (request, response) => {
  rowsOf(claimsOf(request).org_id).push(request.params.number);
  response.status(201).json({ number: request.params.number });
});

app.use(express.urlencoded({ extended: false }));
app.use((request, response, next) => {
  if (request.method === 'GET' || isOwnForm(request)) next();
  else response.status(403).send('This form must come from the application itself.');
});

// A customer signs up: the id of the form makes a second click the same sign-up.
app.get('/sign-up', (_request, response) => {
  const form = html`<form method="post"><input type="hidden" name="id" value="${randomUUID()}">
    <p><label>Company <input name="company" required></label> <label>Email <input name="email" type="email" required></label> <button>Sign up</button></form>`;
  response.send(page('Sign up', undefined, form));
});
app.post('/sign-up', async (request, response) => {
  const { id, company, email } = request.body;
  await makeCustomer({ id, company, email });
  response.send(
    page(
      'Look into your mailbox',
      undefined,
      html`<p>The mail makes you the Owner of ${company}. Then <a href="/auth/sign-in">sign in</a>.`,
    ),
  );
});

app.get('/auth/sign-in', async (request, response) => {
  const { address, cookies } = await begin(request.query.organization);
  response.set('set-cookie', cookies).redirect(address);
});
app.get('/auth/callback', async (request, response) => {
  const cookies = await finish(request);
  if (cookies === undefined) response.status(400).send('Signing in did not work. Begin again.');
  else response.set('set-cookie', cookies).redirect('/');
});
app.post('/auth/sign-out', (request, response) => {
  const { address, cookies } = signOut(request);
  response.set('set-cookie', cookies).redirect(303, address);
});

/** Pages of a customer's people. */
const signedIn = (request, response, next) => {
  request.person = personOf(request);
  if (request.person === undefined) response.redirect('/auth/sign-in');
  else next();
};
app.get('/', async (request, response) => {
  const person = personOf(request);
  if (person === undefined) return response.send(page('Ledger', undefined, html`<p>Invoices of your company, and of no other.`));
  if (!(await mayDo(person.token, 'invoice', 'read')))
    return response.send(page('Invoices', person, html`<p>You may not read invoices yet: an Owner gives you a role under People.`));
  const rows = rowsOf(person.customer).map((number) => html`<li>${number}</li>`);
  const form = (await mayDo(person.token, 'invoice', 'write'))
    ? html`<form action="/invoices" method="post"><label>Number <input name="number" required></label> <button>Add</button></form>`
    : '';
  response.send(page('Invoices', person, html`<ul>${rows}</ul>${form}`));
});
app.post('/invoices', signedIn, async ({ person, body }, response) => {
  if (!(await mayDo(person.token, 'invoice', 'write'))) throw new Refused(403, 'You may not write invoices.');
  rowsOf(person.customer).push(body.number);
  response.redirect(303, '/');
});

app.get('/people', signedIn, async ({ person }, response) => {
  const [people, roles] = await Promise.all([peopleOf(person), rolesOf(person)]);
  const rows = people.map(({ id, name, roles: own }) => {
    const choices = roles.map(
      (role) => html`<option value="${role.id}" ${own.some((one) => one.id === role.id) ? 'selected' : ''}>${role.name}</option>`,
    );
    return html`<tr><td>${name}<td><form method="post"><input type="hidden" name="user" value="${id}">
      <select name="role" aria-label="Role of ${name}"><option value="">none</option>${choices}</select> <button>Save</button></form>`;
  });
  const events = [...news.values()].filter(({ customer }) => customer === person.customer).map(({ type }) => html`<li>${type}</li>`);
  response.send(page('People', person, html`<table>${rows}</table><h2>What Tessera told us</h2><ul aria-label="Events">${events}</ul>`));
});
app.post('/people', signedIn, async ({ person, body }, response) => {
  await giveRole(person, body.user, body.role);
  // A token has the rights of the moment in which it was made.
  response.redirect(303, body.user === person.id ? `/auth/sign-in?organization=${person.customer}` : '/people');
});

app.get('/keys', signedIn, async ({ person }, response) => {
  const rows = (await keysOf(person)).map(({ name, role }) => html`<tr><td>${name}<td>${role?.name}`);
  // A key outlives its maker's sign-in, so Tessera gives one to a session of its own alone, never to an application.
  const where = html`<p><a href="${TESSERA_URL}/console">Make a key in the console</a>, in your organization under Applications.`;
  response.send(page('Keys', person, html`<table>${rows}</table>${where}`));
});

// Express takes an error handler by its four parameters.
app.use((error, request, response, _next) => {
  if (!(error instanceof Refused)) console.error(error);
  const isRefused = error instanceof Refused && error.status < 500;
  response
    .status(isRefused ? error.status : 503)
    .send(page(isRefused ? 'Not possible' : 'Try again', personOf(request), html`<p>${isRefused ? error.message : ''}`));
});
app.listen(Number(PORT), '127.0.0.1', () => console.log(process.env.APP_URL));
