/** Every file and every command of docs/guides, with the packed packages, on a whole stack. */
import { execFile, execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { repositoryFolder } from '../../../tools/stack/repository.ts';
import { blocksOf, guidesFolder, start } from '../../support/guides/page.ts';
import { type Prepared, prepareGuides } from '../../support/guides/prepared.ts';
import { openPersonsBrowser, sayYes } from '../../support/packages/person-browser.ts';
import { testUnless } from '../../support/unless.ts';

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

test('the policy of the guide multi-tenant-data shows each tenant its own rows, and none without a tenant', async () => {
  await using database = new AsyncDisposableStack();
  const page = guides.open('multi-tenant-data');
  const name = `guide_${randomUUID().replaceAll('-', '')}`;
  const admin = new pg.Client({ connectionString: guides.stack.adminDatabaseUrl });
  await admin.connect();
  database.defer(() => admin.end());
  await admin.query(`CREATE DATABASE ${name}`);
  database.defer(async () => {
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.query('DROP ROLE IF EXISTS billing_service');
  });
  const url = new URL(guides.stack.adminDatabaseUrl);
  url.pathname = `/${name}`;
  const owning = new pg.Client({ connectionString: url.href });
  await owning.connect();
  await owning.query(readFileSync(join(page.folder, 'schema.sql'), 'utf8')).finally(() => owning.end());
  url.username = 'billing_service';
  url.password = 'a long one from your secret store';
  const { stdout } = await promisify(execFile)(process.execPath, ['invoices.mjs'], {
    cwd: page.folder,
    env: { ...guides.env, DATABASE_URL: url.href },
  });
  expect(stdout).toBe(page.answer);
});

test('the exports of the guide migrate are read as it says', async () => {
  const page = guides.open('migrate');
  expect(await page.run({ ...guides.env, PATH: `${guides.env['PATH']}:${join(process.execPath, '..')}` })).toBe(page.answer);
});
