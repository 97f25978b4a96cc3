/**
 * The guide nextjs in Next.js itself, which npm installs into a folder of its own: it is no
 * dependency of this repository.
 */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { type Prepared, prepareGuides } from '../../support/guides/prepared.ts';
import { testUnless } from '../../support/unless.ts';
import { until } from '../../support/until.ts';

const others = ['next@16', 'react@19', 'react-dom@19'];

function withoutRegistry(): string | false {
  try {
    execFileSync('npm', ['view', 'next@16.0.0', 'version', '--fetch-retries=0', '--fetch-timeout=20000'], { stdio: 'ignore' });
    return false;
  } catch {
    return 'SKIPPED: the guide was NOT RUN in Next.js, the registry of npm cannot be reached';
  }
}

const cleanup = new AsyncDisposableStack();
let guides: Prepared;

beforeAll(async () => {
  guides = await prepareGuides(cleanup);
}, 240_000);
afterAll(() => cleanup.disposeAsync());

testUnless(withoutRegistry())(
  'Next.js builds and serves the files of the guide: they let in who may, and turn away the others',
  async () => {
    await using server = new AsyncDisposableStack();
    const page = guides.open('nextjs');
    const ours = readdirSync(guides.home).filter((name) => /^tessera-(verifier|authorizer)-.*\.tgz$/.test(name));
    expect(ours).toHaveLength(2);
    const run = (command: string, args: readonly string[], env: NodeJS.ProcessEnv) =>
      promisify(execFile)(command, args, { cwd: page.folder, env, maxBuffer: 64 * 1024 * 1024 });
    writeFileSync(join(page.folder, 'package.json'), '{ "name": "guide", "private": true, "type": "module" }');
    const files = ours.map((name) => join(guides.home, name));
    await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...others, ...files], process.env);

    const env = { ...guides.env, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' };
    const next = join(page.folder, 'node_modules', 'next', 'dist', 'bin', 'next');
    await run(process.execPath, [next, 'build'], env);
    const args = [next, 'start', '--hostname', '127.0.0.1', '--port', String(guides.port)];
    const child = spawn(process.execPath, args, { cwd: page.folder, env, stdio: ['ignore', 'ignore', 'inherit'] });
    const ended = once(child, 'exit');
    server.defer(async () => {
      child.kill('SIGTERM');
      await ended;
    });
    await until(() =>
      fetch(`http://127.0.0.1:${guides.port}/`).then(
        () => true,
        () => false,
      ),
    );
    expect(await page.run(guides.env)).toBe(page.answer);
  },
);
