import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { frameworks, readWish } from './wish.ts';
import { assertEmpty, writeProject } from './write.ts';

const token = { TESSERA_TOKEN: 'token' };

test('the arguments say everything, and what they leave out has a value', async () => {
  expect(await readWish(['notes', '--yes'], token)).toStrictEqual({
    folder: join(process.cwd(), 'notes'),
    name: 'notes',
    framework: 'next',
    url: 'http://localhost:3000',
    organization: undefined,
    port: 8080,
    token: 'token',
  });
  const given = ['--framework', 'fastify', '--url', 'https://iam.example.com/', '--organization', 'acme', '--port', '9000'];
  expect(await readWish(['a/b', '--yes', ...given], { ...token, TESSERA_URL: 'https://other.example.com' })).toMatchObject({
    name: 'b',
    framework: 'fastify',
    url: 'https://iam.example.com',
    organization: 'acme',
    port: 9000,
  });
  expect(await readWish(['--help'], {})).toBe(undefined);
});

test('what is wrong is said, with what to do', async () => {
  for (const [args, environment, message] of [
    [[], token, 'Name one folder.'],
    [['a', 'b'], token, 'Name one folder.'],
    [['a', '--framework', 'rails'], token, 'rails is not known. There are next, express, fastify.'],
    [['a', '--url', 'somewhere'], token, 'somewhere is no address'],
    [['a', '--port', '70000'], token, '--port is a number'],
    [['a', '--port', 'x'], token, '--port is a number'],
    [['My App'], token, "The folder's name becomes that of the package"],
    [['a', '--colour'], token, "Unknown option '--colour'"],
    [['a'], {}, 'Set TESSERA_TOKEN to your access token'],
  ] as const)
    await expect(readWish([...args, '--yes'], environment)).rejects.toThrow(message);
});

test('the application has its scripts, and secrets that its owner alone can read and git leaves out', async () => {
  using cleanup = new DisposableStack();
  for (const framework of frameworks) {
    const root = mkdtempSync(join(tmpdir(), 'create-tessera-'));
    cleanup.defer(() => rmSync(root, { recursive: true }));
    const folder = join(root, 'notes');
    const wish = { folder, name: 'notes', framework, url: 'https://iam.example.com', organization: undefined, port: 9000, token: 'token' };
    assertEmpty(folder);
    writeProject(wish, {
      issuer: 'https://iam.example.com/org/o/prj/p',
      clientId: 'id',
      clientSecret: 'hush',
      scope: 'organizationProject:o:p',
    });
    expect(() => assertEmpty(folder)).toThrow('is not empty');
    expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600);
    const env = readFileSync(join(folder, '.env'), 'utf8');
    expect(env).toMatch(/^APP_URL=http:\/\/localhost:9000\nPORT=9000\nSESSION_SECRET=\S{44}\n/);
    expect(env).toContain('TESSERA_CLIENT_SECRET=hush\n');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toContain('.env\n');
    for (const file of files.filter((name) => name !== '.env' && statSync(join(folder, name)).isFile()))
      expect(readFileSync(join(folder, file), 'utf8')).not.toMatch(/hush|\{\{\w|'token'/);
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    expect([manifest.name, Object.keys(manifest.scripts)]).toStrictEqual(['notes', expect.arrayContaining(['dev', 'start'])]);
    expect(readFileSync(join(folder, 'README.md'), 'utf8')).toContain('# notes\n');
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    for (const [name, range] of Object.entries(manifest.dependencies).filter(([name]) => name.startsWith('@tessera/')))
      expect([name, range]).toStrictEqual([name, version]);
  }
});

test('the application reads its cookies under the name that it sets, so that no subdomain gives it one', async () => {
  using cleanup = new DisposableStack();
  const before = process.env['APP_URL'];
  cleanup.defer(() => {
    if (before === undefined) delete process.env['APP_URL'];
    else process.env['APP_URL'] = before;
  });
  const { cookie, cookieOf } = await import(fileURLToPath(new URL('../templates/web/cookies.js', import.meta.url)));
  for (const [url, name, others] of [
    ['https://notes.example.com', '__Host-session', ['session', 'x__Host-session', '__host-session', '__Host-sessions']],
    ['http://localhost:8080', 'session', ['__Host-session', 'x-session', 'sessions']],
  ] as const) {
    process.env['APP_URL'] = url;
    expect(cookie('session', 'mine')).toMatch(
      new RegExp(`^${name}=mine; Path=/; HttpOnly; SameSite=Lax${url.startsWith('https') ? '; Secure' : ''}$`),
    );
    const planted = others.map((other) => `${other}=planted`).join('; ');
    expect(cookieOf({ cookie: planted }, 'session')).toBe(undefined);
    expect(cookieOf({ cookie: `${planted}; ${name}=mine; a=b` }, 'session')).toBe('mine');
    expect(cookieOf({}, 'session')).toBe(undefined);
  }
  // Nothing else reads the header.
  for (const file of ['web/sign-in.js', 'express/server.js', 'fastify/server.js'])
    expect(readFileSync(new URL(`../templates/${file}`, import.meta.url), 'utf8')).not.toMatch(/headers\.cookie|__Host-/);
});

test('a folder with something in it is not touched', () => {
  using cleanup = new DisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'create-tessera-'));
  cleanup.defer(() => rmSync(folder, { recursive: true }));
  assertEmpty(folder);
  writeFileSync(join(folder, 'mine'), '');
  expect(() => assertEmpty(folder)).toThrow('is not empty. Name a new folder.');
});
