/** A registry with our packages: verdaccio, which npm installs into a folder of its own. */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makePublishable, publishedPackages } from '../../../tools/release/pack.ts';
import { choosePort } from '../../../tools/stack/ports.ts';
import { until } from '../until.ts';
import { packPackage } from './pack.ts';

export type Registry = Awaited<ReturnType<typeof startRegistry>>;

const run = promisify(execFile);
const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];

/** Why nothing can be installed from here; false when npm's registry answers. */
export function withoutRegistry(): string | false {
  try {
    execFileSync('npm', ['view', 'verdaccio@6', 'version', '--fetch-retries=0', '--fetch-timeout=20000'], { stdio: 'ignore' });
    return false;
  } catch {
    return 'SKIPPED: the packages were NOT INSTALLED from a registry, that of npm cannot be reached';
  }
}

export async function startRegistry(cleanup: AsyncDisposableStack) {
  const home = mkdtempSync(join(tmpdir(), 'tessera-registry-'));
  cleanup.defer(() => rmSync(home, { recursive: true, force: true }));
  const { stdout: upstream } = await run('npm', ['config', 'get', 'registry']);
  const server = join(home, 'server');
  mkdirSync(server);
  // It names node-fetch by a tag, which some registries do not have.
  writeFileSync(join(server, 'package.json'), '{ "private": true, "overrides": { "node-fetch": "2.7.0" } }');
  await run('npm', ['install', 'verdaccio@6', ...quiet], { cwd: server });
  const port = await choosePort(0, '127.0.0.1');
  const url = `http://127.0.0.1:${port}/`;
  const ours = '{ access: $all, publish: $all }';
  writeFileSync(
    join(server, 'config.yaml'),
    [
      `storage: ${join(server, 'storage')}`,
      'uplinks:',
      `  npmjs: { url: ${upstream.trim()}, cache: false }`,
      'packages:',
      `  '@tessera/*': ${ours}`,
      `  create-tessera: ${ours}`,
      "  '**': { access: $all, proxy: npmjs }",
      'log: { type: stdout, level: error }',
      '',
    ].join('\n'),
  );
  const program = join(server, 'node_modules', 'verdaccio', 'bin', 'verdaccio');
  const child = spawn(process.execPath, [program, '--config', join(server, 'config.yaml'), '--listen', `127.0.0.1:${port}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
    cwd: server,
  });
  const ended = once(child, 'exit');
  cleanup.defer(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  await until(() =>
    fetch(`${url}-/ping`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );

  // A user of this registry alone: none of its files is one of the person who runs the tests.
  const npmrc = join(home, 'npmrc');
  writeFileSync(npmrc, `registry=${url}\n//127.0.0.1:${port}/:_authToken=anything\n`);
  const env = { ...process.env, npm_config_userconfig: npmrc, npm_config_registry: url, npm_config_cache: join(home, 'cache') };
  const npm = (folder: string, ...args: readonly string[]) =>
    run('npm', [...args, ...quiet], { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 });
  const packed = new Map<string, string>();
  mkdirSync(join(home, 'out'));
  for (const name of publishedPackages) packed.set(name, await makePublishable(packPackage(name, home), join(home, 'out')));
  for (const file of packed.values()) await npm(home, 'publish', file);

  /** An empty folder, where npm knows this registry only. */
  function emptyFolder(name: string, type?: 'module' | 'commonjs'): string {
    const folder = join(home, name);
    mkdirSync(folder);
    if (type !== undefined) writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, private: true, type }));
    return folder;
  }
  return { home, url, env, npm, packed, emptyFolder };
}
