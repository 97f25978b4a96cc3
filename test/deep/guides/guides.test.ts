/** Every file and every command of docs/guides, with the packed packages, on a whole stack. */
import { execFile, execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { decodeJwt } from 'jose';
import * as openid from 'openid-client';
import pg from 'pg';
import { repositoryFolder } from '../../../tools/stack/repository.ts';
import { inScope } from '../../support/client.ts';
import { blocksOf, guidesFolder, start } from '../../support/guides/page.ts';
import { type Prepared, prepareGuides } from '../../support/guides/prepared.ts';
import { waitForMail } from '../../support/mail.ts';
import { openPersonsBrowser, sayYes } from '../../support/packages/person-browser.ts';
import { testUnless } from '../../support/unless.ts';
import { until } from '../../support/until.ts';
import { addMember, builtInRole, createOrganization, createPerson, createProject, dataOf } from '../../support/world.ts';

const cleanup = new AsyncDisposableStack();
let guides: Prepared;

beforeAll(async () => {
  const linked = ['express', 'fastify', 'hono', '@hono/node-server', 'openid-client', 'pg'];
  guides = await prepareGuides(cleanup, linked);
}, 240_000);
afterAll(() => cleanup.disposeAsync());

test('every page is listed, every block is one that a test runs', () => {
  const pages = readdirSync(guidesFolder).filter((name) => name !== 'README.md');
  const listed = readFileSync(join(guidesFolder, 'README.md'), 'utf8').matchAll(/\]\((\w[\w-]*\.md)\)/g);
  expect([...new Set([...listed].map(([, name]) => name))].sort()).toStrictEqual(pages.sort());
  const files = ['js', 'go', 'sql', 'csv', 'json', 'yaml'];
  // libraries.test.ts runs the lines of the page of libraries.
  for (const page of [...pages.filter((name) => name !== 'libraries.md'), 'README.md'])
    for (const { language, name } of blocksOf(join(guidesFolder, page)))
      expect([page, language, name]).toStrictEqual([
        page,
        expect.stringMatching(name === '' ? /^(sh|text|tsx)$/ : `^(${files.join('|')})$`),
        name,
      ]);
});

for (const name of ['express', 'fastify'])
  test(`the service of the guide ${name} lets in who may, and turns away the others`, async () => {
    await using server = new AsyncDisposableStack();
    const page = guides.open(name);
    await start(server, process.execPath, ['server.mjs'], page.folder, guides.env);
    expect(await page.run(guides.env)).toBe(page.answer);
  });

/** Next.js is not installed here: its routes are functions of Request and Response. */
const standIn = `
import { serve } from '@hono/node-server';
import { proxy } from './proxy.js';
import { GET } from './app/api/invoices/route.js';
import { POST } from './app/api/invoices/[id]/pay/route.js';
const route = (request) => {
  const [, id] = /^\\/api\\/invoices\\/([^/]+)\\/pay$/.exec(new URL(request.url).pathname) ?? [];
  return id === undefined ? GET(request, {}) : POST(request, { params: Promise.resolve({ id }) });
};
const fetch = async (request) => (await proxy(request)) ?? route(request);
serve({ fetch, hostname: '127.0.0.1', port: Number(process.env.PORT) }, ({ port }) => console.log('http://127.0.0.1:' + port));
`;

test('the routes of the guide nextjs let in who may, and turn away the others', async () => {
  await using server = new AsyncDisposableStack();
  const page = guides.open('nextjs');
  writeFileSync(join(page.folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(page.folder, 'serve.js'), standIn);
  await start(server, process.execPath, ['serve.js'], page.folder, guides.env);
  expect(await page.run(guides.env)).toBe(page.answer);
});

function withoutGo(): string | false {
  try {
    execFileSync('go', ['version'], { stdio: 'ignore' });
    return false;
  } catch {
    return 'SKIPPED: the Go service of the guide was NOT RUN, go is missing (.ci/run installs it)';
  }
}

testUnless(withoutGo())(
  'the service of the guide go lets in who may, and turns away the others',
  async () => {
    await using server = new AsyncDisposableStack();
    const page = guides.open('go');
    const forGo = { ...process.env, GO111MODULE: 'off', GOFLAGS: '' };
    await promisify(execFile)('go', ['build', '-o', 'service', 'main.go'], { cwd: page.folder, env: forGo });
    await promisify(execFile)('go', ['vet', 'main.go'], { cwd: page.folder, env: forGo });
    await start(server, join(page.folder, 'service'), [], page.folder, guides.env);
    expect(await page.run(guides.env)).toBe(page.answer);
  },
  300_000,
);

test('the application of the guide sign-in signs a person in and out, and takes no answer that it did not ask for', async () => {
  await using server = new AsyncDisposableStack();
  const page = guides.open('sign-in');
  const own = `http://127.0.0.1:${guides.port}`;
  const [{ clientId, clientSecret }] = JSON.parse(readFileSync(join(page.folder, 'applied.json'), 'utf8')).apps;
  await start(server, process.execPath, ['server.mjs'], page.folder, { ...guides.env, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret });
  const visit = async (path: string, cookie = '') => {
    const response = await fetch(own + path, { redirect: 'manual', headers: { cookie } });
    const cookies = response.headers.getSetCookie().map((line) => line.split(';')[0]);
    return { status: response.status, text: await response.text(), cookies, location: response.headers.get('location') ?? '' };
  };
  expect((await visit('/')).text).toBe('Sign in at /login');
  const begun = await visit('/login');
  const browser = await openPersonsBrowser(guides.stack, guides.owner.email);
  const back = await sayYes(browser, begun.location, `${own}/callback`);
  const path = back.pathname + back.search;
  expect((await visit(path)).status).toBe(400);
  const ended = await visit(path, begun.cookies.join('; '));
  expect([ended.status, ended.location]).toStrictEqualFor(ended.text, [302, '/']);
  const session = ended.cookies.filter((each) => each?.startsWith('session=')).join('');
  expect(`${(await visit('/', session)).text}\n`).toBe(page.answer.replace('ada@example.com', guides.owner.email));
  expect((await visit(path, begun.cookies.join('; '))).status).toBe(400);
  const left = await visit('/logout', session);
  expect(left.location).toMatch(new RegExp(`^${guides.env['ISSUER']}/oauth/logout\\?`));
  expect((await visit('/', session)).text).toBe('Sign in at /login');
  // The secret that the page takes out of the answer of `apply` is this one.
  const printed = await promisify(execFile)(
    'bash',
    ['-euc', `${blocksOf(join(guidesFolder, 'sign-in.md'))[0]?.text}\necho "$CLIENT_SECRET"`],
    {
      cwd: page.folder,
      env: guides.env,
    },
  );
  expect(printed.stdout).toBe(`${clientSecret}\n`);
});

test('the page of the guide sign-in is the example of @tessera/react, which a browser runs', () => {
  const tsx = (file: string) => blocksOf(file).filter(({ language }) => language === 'tsx');
  expect(tsx(join(guidesFolder, 'sign-in.md'))).toStrictEqual(tsx(join(repositoryFolder, 'packages/react/README.md')));
});

test('the guide multi-tenant-data shows each tenant its own rows, also through one API for all customers', async () => {
  await using server = new AsyncDisposableStack();
  const page = guides.open('multi-tenant-data');
  const databaseUrl = await openGuideDatabase(server, readFileSync(join(page.folder, 'schema.sql'), 'utf8'));
  const env = { ...guides.env, DATABASE_URL: databaseUrl };
  const { stdout } = await promisify(execFile)(process.execPath, ['invoices.mjs'], { cwd: page.folder, env });

  const [{ clientId, clientSecret }] = JSON.parse(readFileSync(join(page.folder, 'applied.json'), 'utf8')).apps;
  const sold = await sellToTwo(clientId);
  await start(server, process.execPath, ['server.mjs'], page.folder, { ...env, CLIENT_ID: clientId });
  const browser = await openPersonsBrowser(guides.stack, sold.person.email);
  const tokenAt = (organizationId: string) => signInAt(browser, { clientId, clientSecret, organizationId });
  const [acme, birch] = [await tokenAt(sold.acme), await tokenAt(sold.birch)];
  const cedar = await createCustomerOfOld();
  const printed = await page.run({ ...env, ACME: acme, BIRCH: birch, CEDAR: cedar, OWNER: guides.owner.token });
  expect(stdout + printed).toBe(page.answer);

  // The vendor suspends Acme: the same token is of no use there, and Birch goes on.
  const { client, token } = guides.owner;
  dataOf(await client.post(`/api/project-grants/${sold.grantOfAcme}/suspend`, { scope: guides.project }, token));
  const ask = (of: string) => fetch(`http://127.0.0.1:${guides.port}/invoices`, { headers: { authorization: `Bearer ${of}` } });
  await until(async () => (await ask(acme)).status === 403);
  expect((await ask(birch)).status).toBe(200);
});

/** A database of the page's own, with its tables; the login of the service is in the address. */
async function openGuideDatabase(cleanup: AsyncDisposableStack, schema: string): Promise<string> {
  const name = `guide_${randomUUID().replaceAll('-', '')}`;
  const admin = new pg.Client({ connectionString: guides.stack.adminDatabaseUrl });
  await admin.connect();
  cleanup.defer(() => admin.end());
  await admin.query(`CREATE DATABASE ${name}`);
  cleanup.defer(async () => {
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.query('DROP ROLE IF EXISTS billing_service');
  });
  const url = new URL(guides.stack.adminDatabaseUrl);
  url.pathname = `/${name}`;
  const owning = new pg.Client({ connectionString: url.href });
  await owning.connect();
  await owning.query(schema).finally(() => owning.end());
  url.username = 'billing_service';
  url.password = 'a long one from your secret store';
  return url.href;
}

/** A customer with a project of its own and two people with roles; the vendor is Owner there. */
async function createCustomerOfOld(): Promise<string> {
  const { stack, owner } = guides;
  const organization = await createOrganization(owner, 'Cedar');
  const old = await createProject(owner, organization, 'Own');
  for (const name of ['Reader', 'Bookkeeper']) {
    const role = dataOf(await owner.client.post('/api/roles', { scope: old, name }, owner.token));
    const member = await addMember(stack, owner, organization, 'Viewer');
    dataOf(await owner.client.patch(`/api/users/${member.userId}`, { scope: old, roleIds: [role.id] }, owner.token));
  }
  return old.id;
}

/** Two customers of the project; one person writes at the first and reads at the second. */
async function sellToTwo(clientId: string) {
  const { stack, owner, project } = guides;
  const make = async (path: string, body: object) =>
    dataOf(await owner.client.post(`/api/${path}`, { scope: project, ...body }, owner.token));
  const list = async (path: string) => dataOf(await owner.client.get(`/api/${path}?${inScope(project, 'limit=100')}`, owner.token)).items;
  const change = async (path: string, body: object) =>
    dataOf(await owner.client.patch(`/api/${path}`, { scope: project, ...body }, owner.token));
  const resource = (await list('resources')).find(({ slug }: { slug: string }) => slug === 'invoice');
  await change(`resources/${resource.id}`, { actions: ['read', 'pay', 'write'] });
  const write = await make('permissions', { name: 'write invoices', action: 'write', resourceId: resource.id });
  const read = (await list('permissions')).find(({ name }: { name: string }) => name === 'read invoices');
  const writing = await make('groups', { name: 'Writing', permissionIds: [read.id, write.id] });
  const writer = await make('roles', { name: 'Writer', groupIds: [writing.id] });
  const reader = (await list('roles')).find(({ name }: { name: string }) => name === 'Reader');
  const app = (await list('project-apps')).find((one: { clientId: string }) => one.clientId === clientId);
  await change(`project-apps/${app.id}`, { scopes: ['invoice:read', 'invoice:write'] });

  const buy = async (name: string) => {
    const buyer = await createPerson(stack);
    const organization = await createOrganization(buyer, name);
    const { id } = await make('project-grants', { organizationId: organization.id });
    dataOf(await buyer.client.post(`/api/project-grants/${id}/accept`, { scope: organization }, buyer.token));
    return { buyer, organization, grantId: String(id) };
  };
  const [acme, birch] = [await buy('Acme'), await buy('Birch')];
  const person = await addMember(stack, acme.buyer, acme.organization, 'Viewer');
  const roleId = await builtInRole(birch.buyer, birch.organization, 'Viewer');
  const invitation = { scope: birch.organization, email: person.email, roleId };
  dataOf(await birch.buyer.client.post('/api/organization-invitations/invite', invitation, birch.buyer.token));
  const { data } = await waitForMail(stack.dataDir, person.email, 'invitation', 1);
  dataOf(await person.client.post('/api/organization-invitations/accept', { token: data.token }, person.token));
  for (const [{ buyer, organization }, role] of [
    [acme, writer],
    [birch, reader],
  ]) {
    const scope = { tenant: 'organizationProject', id: `${organization.id}:${project.id.slice(37)}` };
    dataOf(await buyer.client.patch(`/api/users/${person.userId}`, { scope, roleIds: [role.id] }, buyer.token));
  }
  return { person, acme: acme.organization.id, birch: birch.organization.id, grantOfAcme: acme.grantId };
}

type SignIn = { readonly clientId: string; readonly clientSecret: string; readonly organizationId: string };

/** What the app of the guide gets when a person signs in to it for one of their organizations. */
async function signInAt(browser: Awaited<ReturnType<typeof openPersonsBrowser>>, { clientId, clientSecret, organizationId }: SignIn) {
  const redirectUri = `http://127.0.0.1:${guides.port}/callback`;
  const config = await openid.discovery(new URL(String(guides.env['ISSUER'])), clientId, clientSecret, undefined, {
    execute: [openid.allowInsecureRequests],
  });
  const verifier = openid.randomPKCECodeVerifier();
  const address = openid.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: 'openid invoice:read invoice:write',
    organization: organizationId,
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  const back = await sayYes(browser, address.href, redirectUri);
  const tokens = await openid.authorizationCodeGrant(config, back, { pkceCodeVerifier: verifier });
  expect(decodeJwt(tokens.access_token)).toMatchObject({ org_id: organizationId });
  return tokens.access_token;
}

test('the exports of the guide migrate are read as it says', async () => {
  const page = guides.open('migrate');
  expect(await page.run({ ...guides.env, PATH: `${guides.env['PATH']}:${join(process.execPath, '..')}` })).toBe(page.answer);
});
