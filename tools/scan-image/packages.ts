/** Which packages an image has, read from its files alone. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFolder } from '../stack/repository.ts';
import { isAcceptedLicense } from '../supply/accepted.ts';
import { licenseOf, statedLicense } from '../supply/licenses.ts';
import { shippedPackages } from '../supply/shipped.ts';
import type { File } from './files.ts';

export interface NodePackage {
  /** From the image's root, without the slash: `app/node_modules/pg`. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  readonly license: string | undefined;
}

export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  readonly architecture: string;
}

/** The packages below any node_modules, also those that the base brought for npm itself. */
export function nodePackages(root: string, files: readonly File[]): readonly NodePackage[] {
  return files.flatMap(({ path, kind }) => {
    const [, folder] = /^\/(.*node_modules\/(?:@[^/]+\/)?[^/.@][^/]*)\/package\.json$/.exec(path) ?? [];
    if (folder === undefined || kind !== 'file') return [];
    const stated = read(join(root, path));
    return [{ path: folder, name: String(stated.name), version: String(stated.version), license: statedLicense(stated) }];
  });
}

/** A package that does not say what it is, is none of the lock file. */
function read(file: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}

/** The application's packages are those of the lock file, for production, and may be shipped. */
export function packageFaults(packages: readonly NodePackage[]): readonly string[] {
  const { packages: locked }: { packages: Readonly<Record<string, { readonly version?: string }>> } = JSON.parse(
    readFileSync(join(repositoryFolder, 'package-lock.json'), 'utf8'),
  );
  const shipped = new Set(shippedPackages().map((each) => each.path));
  const ours = packages.filter(({ path }) => path.startsWith('app/'));
  if (ours.length === 0) return ['/app has no packages: this is not the image'];
  return ours.flatMap((each) => {
    const path = each.path.slice('app/'.length);
    const faults: string[] = [];
    if (locked[path]?.version !== each.version) faults.push(`/${each.path}: the lock file has no ${each.name} ${each.version} there`);
    else if (!shipped.has(path)) faults.push(`/${each.path} is for development`);
    const license = each.license ?? licenseOf({ path });
    if (!isAcceptedLicense(each.name, license)) faults.push(`/${each.path} is under ${license ?? 'no licence'}, which may not be shipped`);
    return faults;
  });
}

/** Debian's own record; an image made without dpkg has a part of it for each package. */
export function debianStatus(root: string): string | undefined {
  const [whole, parts] = [join(root, 'var/lib/dpkg/status'), join(root, 'var/lib/dpkg/status.d')];
  if (existsSync(whole)) return readFileSync(whole, 'utf8');
  if (!existsSync(parts)) return undefined;
  const names = readdirSync(parts).filter((name) => !name.endsWith('.md5sums'));
  return names.map((name) => `${readFileSync(join(parts, name), 'utf8').trim()}\nStatus: install ok installed\n`).join('\n');
}

export function debianPackages(status: string): readonly DebianPackage[] {
  return status.split(/\n\n+/).flatMap((paragraph) => {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(paragraph)?.[1];
    const [name, version, architecture] = [field('Package'), field('Version'), field('Architecture') ?? 'all'];
    const isInstalled = / installed$/.test(field('Status') ?? '');
    return name === undefined || version === undefined || !isInstalled ? [] : [{ name, version, architecture }];
  });
}

export interface Distribution {
  readonly id: string;
  readonly codename: string;
}

/** What /etc/os-release says; undefined in a folder without an operating system. */
export function distributionOf(root: string): Distribution | undefined {
  const file = ['etc/os-release', 'usr/lib/os-release'].map((path) => join(root, path)).find((path) => existsSync(path));
  if (file === undefined) return undefined;
  const text = readFileSync(file, 'utf8');
  const field = (name: string) => new RegExp(`^${name}="?([^"\\n]*)"?$`, 'm').exec(text)?.[1] ?? '';
  return { id: field('ID'), codename: field('VERSION_CODENAME') };
}

/** The version of the base's Node, as the program itself has it in the address of its headers. */
export function nodeVersion(root: string): string | undefined {
  const program = join(root, 'usr/local/bin/node');
  if (!existsSync(program)) return undefined;
  return /\/node-v(\d+\.\d+\.\d+)-headers\.tar\.gz/.exec(readFileSync(program, 'latin1'))?.[1];
}
