/** Compares what clients rely on with the last release. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { git, historyUnless, lastRelease } from '../../release/last.ts';
import { repositoryFolder } from '../../stack/repository.ts';
import { unannounced, untoldDeprecations } from './announced.ts';
import { graphqlBreaks } from './graphql.ts';
import { openApiBreaks, sunsetsOf } from './openapi.ts';
import { releasedPackageBreaks } from './packages.ts';
import { protoBreaks } from './proto.ts';
import { settingBreaks } from './settings.ts';

const here = (path: string) => readFileSync(join(repositoryFolder, path), 'utf8');
const schema = 'services/gateway/generated/schema.graphql';
const document = 'docs/openapi.json';
const settings = 'docs/configuration.md';

/** The faults as text. Where the clone has no history, that is said and nothing is compared. */
export function findBreakingChanges(today = new Date().toISOString().slice(0, 10)): readonly string[] {
  const release = lastRelease();
  const changelog = here('CHANGELOG.md');
  const untold = untoldDeprecations(sunsetsOf(JSON.parse(here(document))), changelog);
  const unread = historyUnless(release);
  if (unread !== false) {
    console.log(`! breaking changes: ${unread}`);
    return untold;
  }
  const released = (path: string) => git('show', `${release.commit}:${path}`);
  const files = git('ls-tree', '-r', '--name-only', release.commit, 'packages', 'proto').trim().split('\n');
  const before = JSON.parse(released(document));
  const breaks = [
    ...openApiBreaks(before, JSON.parse(here(document))),
    ...graphqlBreaks(released(schema), here(schema)),
    ...protoBreaks(
      files.filter((path) => path.endsWith('.proto')).map(released),
      globSync('proto/*/v*/*.proto', { cwd: repositoryFolder }).map(here),
    ),
    ...releasedPackageBreaks({ files, read: released }),
    ...settingBreaks(released(settings), here(settings)),
  ];
  return [...untold, ...unannounced(breaks, { version: release.version, changelog, sunsets: sunsetsOf(before), today })];
}
