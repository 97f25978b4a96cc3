/**
 * Builds deploy/Dockerfile with a container engine, looks into the image, and runs it without
 * rights: as its own account in a user namespace, without capabilities, on a file
 * system that is only read. `NODE_IMAGE` names the base; without it, one is made of Debian.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { conclude, scanImage } from '../../../tools/scan-image/scan.ts';
import { repositoryFolder } from '../../../tools/stack/repository.ts';
import { type Launch, runImage } from '../../../tools/verify-image/run-image.ts';
import { describeUnless } from '../../support/unless.ts';

const programs = ['buildah', 'bwrap', 'setpriv', ...(process.env.NODE_IMAGE === undefined ? ['debootstrap'] : [])];
const missing = programs.filter((name) => spawnSync(name, ['--version']).error !== undefined);
const needs = missing.length > 0 && `NOT RUN: needs ${missing.join(', ')} (apt-get install buildah bubblewrap debootstrap)`;
const reason = process.getuid?.() === 0 ? needs : 'NOT RUN: a base is made, and an image mounted, by root';

describeUnless(reason)('the image', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-image-'));
  /** The image, mounted. */
  const rootFolder = join(folder, 'root');
  let config: { readonly User: string; readonly Env: readonly string[]; readonly Healthcheck?: { readonly Test: readonly string[] } };
  let history: string;

  const run = (program: string, words: readonly string[]) =>
    execFileSync(program, words, { encoding: 'utf8', maxBuffer: 1e9, stdio: ['ignore', 'pipe', 'pipe'] }).trim();
  /** Keeps all that it stores in the test's folder. */
  const buildah = (...words: readonly string[]) =>
    run('buildah', ['--root', join(folder, 'store'), '--runroot', join(folder, 'run'), ...words]);

  beforeAll(() => {
    for (const name of [rootFolder, join(folder, 'data')]) mkdirSync(name);
    run('chmod', ['755', folder]);
    run('chown', ['1000:1000', join(folder, 'data')]);
    const base = process.env.NODE_IMAGE ?? makeBase();
    const context = join(folder, 'context');
    mkdirSync(context);
    run('sh', ['-ec', `git -C "${repositoryFolder}" archive HEAD | tar -x -C "${context}"`]);
    const from = ['--build-arg', `NODE_IMAGE=${base}`, '--file', join(context, 'deploy', 'Dockerfile')];
    buildah('bud', '--quiet', '--isolation', 'chroot', '--format', 'docker', ...trust(), ...from, '--tag', 'tessera', context);
    const image = JSON.parse(buildah('inspect', '--type', 'image', 'tessera')).Docker;
    config = image.config;
    history = JSON.stringify([image.config, image.history]);
    run('mount', ['--bind', '--read-only', buildah('mount', buildah('from', 'tessera')), rootFolder]);
  }, 900_000);
  afterAll(() => {
    spawnSync('umount', [rootFolder]);
    spawnSync('buildah', ['--root', join(folder, 'store'), '--runroot', join(folder, 'run'), 'umount', '--all']);
    spawnSync('rm', ['-rf', '--one-file-system', folder]);
  });

  /** Debian with this Node and its npm. */
  function makeBase(): string {
    const debian = join(folder, 'debian');
    const [, mirror = ''] = /^'(.+?)\/pool\//.exec(run('apt-get', ['--print-uris', 'download', 'base-files'])) ?? [];
    run('debootstrap', ['--variant=minbase', 'bookworm', debian, mirror]);
    cpSync(process.execPath, join(debian, 'usr/local/bin/node'));
    const npm = dirname(dirname(run('readlink', ['-f', run('sh', ['-c', 'command -v npm'])])));
    cpSync(npm, join(debian, 'usr/local/lib/node_modules/npm'), { recursive: true });
    run('ln', ['-s', '../lib/node_modules/npm/bin/npm-cli.js', join(debian, 'usr/local/bin/npm')]);
    for (const cache of ['var/lib/apt/lists', 'var/cache/apt']) run('rm', ['-rf', join(debian, cache)]);
    const container = buildah('from', 'scratch');
    buildah('copy', '--quiet', container, debian, '/');
    buildah('commit', '--quiet', container, 'base');
    run('rm', ['-rf', '--one-file-system', debian]);
    return 'localhost/base';
  }

  /** The build trusts the host's certificates, as a proxy before npm needs; the image does not. */
  function trust(): readonly string[] {
    const certificates = process.env.NODE_EXTRA_CA_CERTS;
    if (certificates === undefined || !existsSync(certificates)) return [];
    cpSync(certificates, join(folder, 'certificates.crt'), { dereference: true });
    writeFileSync(join(folder, 'npmrc'), 'cafile=/run/certificates.crt\n');
    const volume = (name: string, to: string) => ['--volume', `${join(folder, name)}:${to}:ro`];
    return [...volume('certificates.crt', '/run/certificates.crt'), ...volume('npmrc', '/root/.npmrc')];
  }

  const find = (...words: readonly string[]) =>
    run('find', [rootFolder, '-xdev', ...words])
      .split('\n')
      .filter(Boolean);

  test('runs as an account without rights, is asked for its health, and says no secret', () => {
    expect(config.User).toBe('1000:1000');
    expect(config.Healthcheck?.Test.join(' ')).toContain('deploy/healthcheck.mjs');
    expect(config.Env.map((each) => each.split('=')[0]).sort()).toStrictEqual(['DATA_DIR', 'NODE_COMPILE_CACHE', 'NODE_ENV', 'PATH']);
    expect(history).not.toMatch(/secret|password|_key|token|npmrc|certificates/i);
  });

  test('holds nothing that its account can write but the data folder', () => {
    const ours = join(rootFolder, 'app');
    expect(
      find('-path', `${ours}*`, '(', '-user', '1000', '-o', '-group', '1000', '-o', '-perm', '-o+w', ')', '!', '-type', 'l'),
    ).toStrictEqual([]);
    const owned = find('-user', '1000').filter((path) => !path.startsWith(join(rootFolder, 'home'))); // that of the official base
    expect(owned).toStrictEqual([join(rootFolder, 'data')]);
  });

  test('is taken by the scan, which bills it, and holds no test and no installer of packages', async () => {
    const report = await scanImage({ root: rootFolder, account: { uid: 1000, gid: 1000 } });
    const [text] = conclude(report, false);
    console.log(text);
    expect(report.faults).toStrictEqual([]);
    // Whether a registry and Debian's tracker answer is up to this machine's network.
    expect(report.gaps.filter((gap) => !gap.startsWith('the known vulnerabilities'))).toStrictEqual([]);
    const purls = report.bill.components.map(({ purl }) => purl);
    for (const name of ['npm/fastify', 'npm/pg', 'deb/debian/libc6', 'generic/node'])
      expect(purls.filter((purl) => purl.startsWith(`pkg:${name}@`)).length).toStrictEqualFor(name, 1);
    const app = join(rootFolder, 'app');
    expect(find('-path', '*/node_modules', '-prune', '-o', '-path', `${app}*`, '-name', '*.test.ts', '-print')).toStrictEqual([]);
    expect(['.ci', 'docs', 'test'].filter((name) => existsSync(join(app, name)))).toStrictEqual([]);
    expect(['npm', 'npx', 'yarn', 'corepack'].filter((name) => existsSync(join(rootFolder, 'usr/local/bin', name)))).toStrictEqual([]);
    const { devDependencies } = JSON.parse(readFileSync(join(repositoryFolder, 'package.json'), 'utf8'));
    const installed = new Set(readdirSync(join(app, 'node_modules')));
    const tools = ['jest', 'typescript', 'vite', 'playwright-core', 'dockerfile-ast'];
    expect([tools.filter((name) => installed.has(name)), tools.filter((name) => !(name in devDependencies))]).toStrictEqual([[], []]);
  }, 300_000);

  test('migrates, starts all five services, answers and stops, without a capability and on a file system that is only read', async () => {
    const environment = Object.fromEntries(config.Env.map((each) => each.split(/=(.*)/s, 2) as [string, string]));
    const launch: Launch = (words, env) => {
      const [, sockets = ''] = /host=([^&]+)/.exec(Object.values(env).join('&')) ?? [];
      const inside = (value: string) => (sockets === '' ? value : value.replaceAll(sockets, encodeURIComponent('/tmp/postgres')));
      const values = Object.entries({ ...environment, ...env }).flatMap(([name, value]) => ['--setenv', name, inside(value)]);
      const files = [
        '--ro-bind',
        rootFolder,
        '/',
        '--bind',
        join(folder, 'data'),
        '/data',
        '--dev',
        '/dev',
        '--proc',
        '/proc',
        '--tmpfs',
        '/tmp',
      ];
      const socket = sockets === '' ? [] : ['--ro-bind', decodeURIComponent(sockets), '/tmp/postgres'];
      const bounds = [
        '--unshare-user',
        '--unshare-pid',
        '--unshare-ipc',
        '--unshare-uts',
        '--as-pid-1',
        '--cap-drop',
        'ALL',
        '--die-with-parent',
      ];
      const account = [
        '--reuid',
        '1000',
        '--regid',
        '1000',
        '--clear-groups',
        '--no-new-privs',
        '--inh-caps',
        '-all',
        '--bounding-set',
        '-all',
      ];
      const command = ['node', '--disable-warning=ExperimentalWarning', ...words];
      const child = spawn(
        'setpriv',
        [...account, 'bwrap', ...files, ...socket, ...bounds, '--chdir', '/app', '--clearenv', ...values, '--info-fd', '3', ...command],
        {
          stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
        },
      );
      let info = '';
      child.stdio[3]?.on('data', (chunk) => (info += chunk));
      return { child, terminate: () => process.kill(JSON.parse(info)['child-pid'], 'SIGTERM') };
    };
    await runImage({ launch, dataFolder: '/data' });
  }, 300_000);
});
