import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFolder } from '../stack/repository.ts';
import { licenseOf } from './licenses.ts';
import type { Package } from './shipped.ts';

interface Component {
  readonly 'bom-ref': string;
  readonly purl: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  readonly licenses?: readonly object[];
}

export interface Bill {
  readonly metadata: { readonly component: object };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

/** npm's bill of the whole lockfile, cut down to what is shipped, with the licence of each. */
export function billOfMaterials(packages: readonly Package[]): Bill {
  const given = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
  const { status, stdout, stderr } = spawnSync('npm', given, { cwd: repositoryFolder, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (status !== 0) throw new Error(`npm sbom failed: ${stderr}`);
  const whole: Bill = JSON.parse(stdout);
  const { name, version } = JSON.parse(readFileSync(join(repositoryFolder, 'package.json'), 'utf8'));
  const byPurl = new Map(packages.map((shipped) => [purlOf(shipped), shipped]));
  const components = whole.components.flatMap((component) => {
    const shipped = byPurl.get(component.purl);
    if (shipped === undefined) return [];
    const license = licenseOf(shipped);
    return [license === undefined ? component : { ...component, licenses: [asLicense(license)] }];
  });
  const kept = new Set(components.map((component) => component['bom-ref']));
  const dependencies = whole.dependencies
    .filter(({ ref }) => kept.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((other) => kept.has(other)) }));
  return { ...whole, metadata: { ...whole.metadata, component: { ...whole.metadata.component, name, version } }, components, dependencies };
}

export function purlOf({ name, version }: Package): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

function asLicense(text: string): object {
  return / (?:AND|OR|WITH) /.test(text) ? { expression: text } : { license: { id: text } };
}
