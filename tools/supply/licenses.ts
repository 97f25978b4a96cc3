import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFolder } from '../stack/repository.ts';
import type { Package } from './shipped.ts';

/** The SPDX expression; undefined when the package is not installed here or names none. */
export function licenseOf({ path }: Pick<Package, 'path'>): string | undefined {
  const file = join(repositoryFolder, path, 'package.json');
  if (!existsSync(file)) return lockedLicense(path);
  return statedLicense(JSON.parse(readFileSync(file, 'utf8'))) ?? lockedLicense(path);
}

/** What a package.json says, in its new form or an old one. */
export function statedLicense({ license, licenses }: Readonly<Record<string, unknown>>): string | undefined {
  const typeOf = (value: unknown) => (typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined);
  const found = typeof license === 'string' ? license : (typeOf(license) ?? (Array.isArray(licenses) ? typeOf(licenses[0]) : undefined));
  return typeof found === 'string' ? found.replaceAll(/^\(|\)$/g, '') : undefined;
}

/** Of packages for other platforms, which are not installed here. */
function lockedLicense(path: string): string | undefined {
  const { packages } = JSON.parse(readFileSync(join(repositoryFolder, 'package-lock.json'), 'utf8'));
  return packages[path]?.license;
}

/** Each licence text once, below the packages that have it. */
export function licenseTexts(packages: readonly Package[]): string {
  const texts = new Map<string, string[]>();
  for (const shipped of packages) {
    const folder = join(repositoryFolder, shipped.path);
    const names = existsSync(folder) ? readdirSync(folder).filter((name) => /^(?:licen[cs]e|copying|notice)/i.test(name)) : [];
    const text = names.map((name) => readFileSync(join(folder, name), 'utf8').trim()).join('\n\n');
    const whole = text === '' ? `(no text comes with it; its package names ${licenseOf(shipped) ?? 'no licence'})` : text;
    texts.set(whole, [...(texts.get(whole) ?? []), `${shipped.name} ${shipped.version} · ${licenseOf(shipped) ?? 'no licence'}`]);
  }
  return [...texts].map(([text, names]) => `${names.join('\n')}\n\n${text}\n`).join(`\n${'='.repeat(80)}\n\n`);
}
