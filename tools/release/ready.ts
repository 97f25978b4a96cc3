/** What stands between this commit and a release. */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Manifest, readManifest } from './pack.ts';

/** All manifests of the repository, by their folder. */
function manifestsOf(root: string): readonly Manifest[] {
  const places = ['package.json', '{kernel,proto,server,web}/package.json', '{services,packages}/*/package.json'];
  return globSync(places, { cwd: root })
    .sort()
    .map((file) => readManifest(join(root, dirname(file))));
}

/** One version for everything: manifests, what they need of each other, and the chart. */
export function versionFaults(root: string): string[] {
  const { version } = readManifest(root);
  const faults = manifestsOf(root).flatMap((manifest) => [
    ...(manifest.version === version ? [] : [`${manifest.name} has version ${manifest.version}, not ${version}`]),
    ...Object.entries({ ...manifest.dependencies, ...manifest.peerDependencies })
      .filter(([name, range]) => name.startsWith('@tessera/') && range !== version)
      .map(([name, range]) => `${manifest.name} needs ${name} ${range}, not ${version}`),
  ]);
  const chart = readFileSync(join(root, 'deploy/kubernetes/tessera/Chart.yaml'), 'utf8');
  const ofChart = [...chart.matchAll(/^(version|appVersion): (.*)$/gm)].filter(([, , value]) => value !== version);
  return [...faults, ...ofChart.map(([, field, value]) => `Chart.yaml has ${field} ${value}, not ${version}`)];
}

/** The part of the changelog under the version's heading; undefined when it has none. */
export function changesOf(version: string, changelog: string): string | undefined {
  const section = changelog.split(/^## /m).find((each) => each.startsWith(`[${version}] - `));
  return section?.slice(section.indexOf('\n')).trim();
}

export function git(root: string, ...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
}

/** Why this commit can't be released yet. A dry run says it, and goes on. */
export function releaseFaults(root: string): string[] {
  const { version } = readManifest(root);
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const changes = changesOf(version, changelog);
  const open = /^## \[Unreleased\]\n(.*?)^## \[/ms.exec(changelog)?.[1]?.trim() ?? '';
  const faults = versionFaults(root);
  if (changes === undefined) faults.push(`CHANGELOG.md has no heading "## [${version}] - <date>"`);
  if (open !== '') faults.push('CHANGELOG.md has changes under "Unreleased": give them a version');
  if (/^Commit `[0-9a-f]{40}`/m.test(changes ?? '')) faults.push(`${version} is released: CHANGELOG.md names its commit`);
  if (existsSync(join(root, '.git'))) {
    if (git(root, 'status', '--porcelain') !== '') faults.push('there are changes that are not committed');
    if (git(root, 'tag', '--list', `v${version}`) !== '') faults.push(`the tag v${version} is there`);
  }
  return faults;
}
