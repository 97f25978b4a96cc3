/** The code of the last release beside the code here. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { git, historyUnless, lastRelease, type Release } from '../../../tools/release/last.ts';
import { repositoryFolder } from '../../../tools/stack/repository.ts';

/** Why the release cannot be had here, or false. */
export function releaseUnless(): string | false {
  const release = lastRelease();
  const unread = historyUnless(release);
  if (unread !== false) return unread;
  const others = differingPackages(release.commit);
  return others.length > 0 && `NOT RUN: ${release.version} needs other packages than are installed: ${others.join(', ')}`;
}

type Lockfile = { readonly packages: Readonly<Record<string, { readonly version?: string; readonly dev?: boolean }>> };

/** Another major version of these serves the release as well: each with the reason. */
const alike: Readonly<Record<string, string>> = {
  'kernel/node_modules/cookie': 'parseCookie, all that is used of it, reads the same in 1 and 2',
};

/** Packages that the release used and that are gone, or installed in another major version. */
function differingPackages(commit: string): readonly string[] {
  const installed: Lockfile = JSON.parse(readFileSync(join(repositoryFolder, 'package-lock.json'), 'utf8'));
  const released: Lockfile = JSON.parse(git('show', `${commit}:package-lock.json`));
  return Object.entries(released.packages).flatMap(([path, { version, dev }]) => {
    const now = installed.packages[path]?.version;
    const isSame = !path.includes('node_modules/') || dev === true || path in alike || majorOf(now) === majorOf(version);
    return isSame ? [] : [`${path} ${version} → ${now ?? 'none'}`];
  });
}

/** Before 1.0 the minor version counts as one. */
function majorOf(version = ''): string {
  return /^(0\.\d+|[1-9]\d*)/.exec(version)?.[0] ?? '';
}

const parts = ['kernel', 'server', 'proto', 'services', 'packages', 'web', 'tools', 'deploy', 'package.json', 'tsconfig.json'];

/** The release's own code in a new folder, with the packages that are installed here. */
export function checkOut({ commit }: Release): Disposable & { readonly folder: string; readonly services: string } {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-release-'));
  const archive = join(folder, 'release.tar');
  // A release has the parts of its time.
  const present = git('ls-tree', '--name-only', commit, '--', ...parts)
    .trim()
    .split('\n');
  writeFileSync(archive, execFileSync('git', ['archive', commit, ...present], { cwd: repositoryFolder, maxBuffer: 512 * 1024 * 1024 }));
  execFileSync('tar', ['-xf', archive, '-C', folder]);
  rmSync(archive);
  linkPackages(folder, '.');
  for (const workspace of ['kernel', 'services/gateway']) linkPackages(folder, workspace);
  return { folder, services: join(folder, 'services'), [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Links to all installed packages; those of the workspaces lead to the release's own code. */
function linkPackages(folder: string, workspace: string): void {
  const [from, to] = [join(repositoryFolder, workspace, 'node_modules'), join(folder, workspace, 'node_modules')];
  if (!existsSync(from)) return;
  mkdirSync(join(to, '@tessera'), { recursive: true });
  for (const name of readdirSync(from)) if (!name.startsWith('.') && name !== '@tessera') symlinkSync(join(from, name), join(to, name));
  const own = join(from, '@tessera');
  for (const name of existsSync(own) ? readdirSync(own) : []) {
    const target = readlinkSync(join(own, name));
    if (existsSync(join(dirname(join(to, '@tessera', name)), target))) symlinkSync(target, join(to, '@tessera', name));
  }
}

/** The services started from here on run this code; undefined: the code here. */
export function runCodeOf(services: string | undefined): void {
  if (services === undefined) delete process.env.TESSERA_SERVICES_FOLDER;
  else process.env.TESSERA_SERVICES_FOLDER = services;
}
