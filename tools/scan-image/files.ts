/** What no file of the image may be, as its permissions, owner, name and content show. */
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface File {
  /** From the image's root, such as `/etc/passwd`. */
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'other';
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: number;
}

export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** The kernel's own; an exported image has a few places of them. */
const notOurs = new Set(['/proc', '/sys', '/dev']);

/** All files below a folder, without following links. */
export function filesOf(root: string): readonly File[] {
  const files: File[] = [];
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const name of readdirSync(join(root, folder))) {
      const path = `${folder}/${name}`;
      if (notOurs.has(path)) continue;
      const status = lstatSync(join(root, path));
      const kind = status.isDirectory() ? 'folder' : status.isFile() ? 'file' : 'other';
      files.push({ path, kind, mode: status.mode, uid: status.uid, gid: status.gid, size: status.size });
      if (kind === 'folder') folders.push(path);
    }
  }
  return files;
}

interface Image {
  readonly root: string;
  /** The account that the image runs as; undefined when the folder does not have the owners. */
  readonly account: Account | undefined;
}

export function fileFaults(files: readonly File[], { root, account }: Image): readonly string[] {
  return files.flatMap((file) => [
    ...modeFaults(file),
    ...(account === undefined ? [] : ownerFaults(file, account)),
    ...leftoverFaults(file),
    ...secretFaults(file, root),
  ]);
}

/** All accounts may write there; the sticky bit keeps each from the files of the others. */
const shared = new Set(['/tmp', '/var/tmp', '/run/lock', '/var/lock']);

function* modeFaults({ path, kind, mode }: File): Iterable<string> {
  if (kind === 'file' && (mode & 0o4000) !== 0) yield `${path} runs as its owner (setuid)`;
  if (kind === 'file' && (mode & 0o2000) !== 0) yield `${path} runs as its group (setgid)`;
  const isShared = kind === 'folder' && shared.has(path) && (mode & 0o1000) !== 0;
  if (kind !== 'other' && (mode & 0o002) !== 0 && !isShared) yield `${path} can be written by every account`;
}

function* ownerFaults({ path, kind, mode, uid, gid }: File, account: Account): Iterable<string> {
  if (!/^\/app(?:\/|$)/.test(path)) return;
  if (uid === account.uid) yield `${path} belongs to the account that the image runs as`;
  else if (gid === account.gid && kind !== 'other' && (mode & 0o020) !== 0) yield `${path} can be written by the group of that account`;
}

const leftovers: readonly (readonly [RegExp, string])[] = [
  [/^\/var\/lib\/apt\/lists\/[^/]+$/, 'is a list of packages that apt-get left'],
  [/^\/var\/cache\/apt\/(?:archives\/)?[^/]+\.(?:deb|bin)$/, 'is a package or an index that apt-get left'],
  [/^\/(?:root|home\/[^/]+)\/(?:\.npm|\.cache|\.yarn)\/./, 'is from the cache of a package manager'],
  [/\/(?:_cacache|_npx)\/./, 'is from the cache of npm'],
  [/^\/usr\/local\/share\/\.cache\/./, 'is from the cache of yarn'],
  [/^\/(?:var\/)?tmp\/./, 'was left by the build'],
];

function* leftoverFaults({ path, kind }: File): Iterable<string> {
  if (kind !== 'file' || path.endsWith('/lock')) return;
  const found = leftovers.find(([pattern]) => pattern.test(path));
  if (found !== undefined) yield `${path} ${found[1]}`;
}

/** A key with its content, also in a string of code; its first line alone is none. */
const privateKey = /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----(?:\s|\\[nr])+(?:[\w-]+: .*\s+)*(?:[A-Za-z0-9+/=\s]|\\[nr]){64}/;
const largestKeyBytes = 64 * 1024;

function* secretFaults({ path, kind, size }: File, root: string): Iterable<string> {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const isOfPackage = path.includes('/node_modules/');
  if (name === '.git' || (!isOfPackage && path.includes('/.git/'))) yield `${path} is from the repository’s history`;
  if (kind !== 'file' || size === 0) return;
  if (/^\.env(?:\..*)?$/.test(name) && !isOfPackage) yield `${path} is an environment with its secrets`;
  if (/^\.(?:npmrc|yarnrc|netrc|pgpass|git-credentials)$/.test(name) && (!isOfPackage || /_auth|_password/.test(read(root, path))))
    yield `${path} holds credentials or settings of the build`;
  if (size <= largestKeyBytes && privateKey.test(read(root, path))) yield `${path} is a private key`;
}

function read(root: string, path: string): string {
  return readFileSync(join(root, path), 'latin1');
}
