/** What CHANGELOG.md and the release before say of a breaking change. */
import { LEAST_DEPRECATED_DAYS } from '@tessera/kernel/operation';
import type { Break } from './break.ts';

export type Announcements = {
  /** The version of the last release. */
  readonly version: string;
  readonly changelog: string;
  /** What the last release said it would take away, with the day from which it may. */
  readonly sunsets: ReadonlyMap<string, string>;
  /** `2027-01-31` */
  readonly today: string;
};

/** The text under a heading of the changes that are not released. */
function unreleased(changelog: string, heading: string): string {
  const section = /^## \[Unreleased\]\n(.*?)(?=^## \[|(?![\s\S]))/ms.exec(changelog)?.[1] ?? '';
  return new RegExp(`^### ${heading}\\n(.*?)(?=^### |(?![\\s\\S]))`, 'ms').exec(section)?.[1] ?? '';
}

/** Breaking changes that nothing announces, as text; until 1.0 a line in CHANGELOG.md is enough. */
export function unannounced(breaks: readonly Break[], { version, changelog, sunsets, today }: Announcements): readonly string[] {
  const announced = unreleased(changelog, 'Breaking');
  return breaks.flatMap(({ subject, what }) => {
    if (!announced.includes(`\`${subject}\``))
      return [`${subject}: ${what}. Keep it, or name \`${subject}\` under "### Breaking" of CHANGELOG.md (docs/stability.md)`];
    if (version.startsWith('0.')) return [];
    const end = sunsets.get(subject) ?? endByChangelog(subject, changelog);
    if (end === undefined) return [`${subject}: ${what}, and ${version} did not say that it is deprecated (docs/stability.md)`];
    return end > today ? [`${subject}: ${what}, and ${version} promised it until ${end}`] : [];
  });
}

/** What is no operation is deprecated by CHANGELOG.md alone: its days count from that release. */
function endByChangelog(subject: string, changelog: string): string | undefined {
  const days = [...changelog.matchAll(/^## \[[\d.]+\] - (\d{4}-\d\d-\d\d)\n(.*?)(?=^## \[|(?![\s\S]))/gms)]
    .filter(([, , text = '']) => deprecatedIn(text).includes(`\`${subject}\``))
    .map(([, day = '']) => day);
  const first = days.toSorted()[0];
  return first === undefined
    ? undefined
    : new Date(Date.parse(first) + LEAST_DEPRECATED_DAYS * 24 * 3600 * 1000).toISOString().slice(0, 10);
}

function deprecatedIn(text: string): string {
  return [...text.matchAll(/^### Deprecated\n(.*?)(?=^##|(?![\s\S]))/gms)].map(([, own = '']) => own).join('\n');
}

/** Deprecated operations that no version of CHANGELOG.md names under "### Deprecated". */
export function untoldDeprecations(sunsets: ReadonlyMap<string, string>, changelog: string): readonly string[] {
  const told = deprecatedIn(changelog);
  return [...sunsets.keys()]
    .filter((name) => !told.includes(`\`${name}\``))
    .map((name) => `${name} is deprecated: name it in backticks under "### Deprecated" of CHANGELOG.md`);
}
