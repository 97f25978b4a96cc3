/**
 * Starts the longest files of all projects first: a long one at the end would leave the other
 * workers idle. Jest knows only what this machine has measured; elsewhere `weights.json` says it.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { relative } from 'node:path';
import { repositoryFolder } from '../../tools/stack/repository.ts';

// Its types are those of its CommonJS file.
const { default: Sequencer }: typeof import('@jest/test-sequencer') = createRequire(import.meta.url)('@jest/test-sequencer');

type Tests = Parameters<InstanceType<typeof Sequencer>['sort']>[0];

/** Seconds by path; `TEST_WEIGHTS=write npm test` renews it. */
export const weightsFile = new URL('weights.json', import.meta.url);

export default class extends Sequencer {
  override async sort(tests: Tests): Promise<Tests> {
    const weights = JSON.parse(readFileSync(weightsFile, 'utf8')) as Readonly<Record<string, number>>;
    const seconds = ({ path, duration }: Tests[number]) =>
      duration === undefined ? (weights[relative(repositoryFolder, path)] ?? 0) : duration / 1_000;
    // Jest's own order fills in what it has measured.
    return [...(await super.sort(tests))].sort((one, other) => seconds(other) - seconds(one));
  }
}
