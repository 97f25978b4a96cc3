/** From the last release to the code here and back, under traffic, without a failed request. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { lastRelease } from '../../../tools/release/last.ts';
import { migrate } from '../../../tools/stack/migrate.ts';
import type { ServiceProcess } from '../../../tools/stack/service-process.ts';
import { record } from '../../support/faults/record.ts';
import { everyProcess, openSite, type Site, siteUnless } from '../../support/faults/site/site.ts';
import { Traffic } from '../../support/faults/site/traffic.ts';
import { measuredHere, type Result, tableHead, tableRow, undergo } from '../../support/faults/site/undergo.ts';
import { describeUnless } from '../../support/unless.ts';
import { checkOut, releaseUnless, runCodeOf } from '../../support/upgrade/release.ts';

const togetherMs = 2_000;
const cleanup = new AsyncDisposableStack();
afterAll(() => cleanup.disposeAsync());

describeUnless(siteUnless() || releaseUnless())('an upgrade', () => {
  const release = lastRelease();
  const rows: Result[] = [];
  let released: ReturnType<typeof checkOut>;
  let site: Site;
  let traffic: Traffic;

  beforeAll(async () => {
    released = cleanup.use(checkOut(release));
    cleanup.defer(() => runCodeOf(undefined));
    runCodeOf(released.services);
    site = cleanup.use(await openSite());
    traffic = await Traffic.prepare(site.stack, site.urls);
    cleanup.defer(() => traffic.close());
  });

  /** After each case, so that a run that is cut off leaves what it has measured. */
  function write(): void {
    record('Upgrade and rollback', [
      `From ${release.version} (commit ${release.commit.slice(0, 7)}) to the code here: two replicas of every service and of the gateway, the same traffic and`,
      `comparison as above. "lost" and "failed" are 0, or the test fails. ${measuredHere()}`,
      '',
      ...tableHead,
      ...rows.map(tableRow),
    ]);
  }

  async function passes(name: string, work: () => Promise<void>): Promise<void> {
    const result = await undergo(name, site, traffic, work);
    rows.push(result);
    write();
    expect([[...result.failed], result.lost, result.broken]).toStrictEqualFor(name, [[], [], []]);
    expect(result.acknowledged).toBeGreaterThan(10);
  }

  /** One replica after the other, each when the one before is ready. */
  async function roll(processes: readonly ServiceProcess[]): Promise<void> {
    for (const process of processes) await process.restart();
  }

  const isSecond = ({ name }: ServiceProcess) => name.endsWith('-2');
  const runsRelease = ({ pid }: ServiceProcess) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(released.services);
  const numberOfReleased = () => everyProcess(site).filter(runsRelease).length;

  test('the release serves on while its schema is migrated', async () => {
    await passes('migrations run under the release', async () => {
      expect(numberOfReleased()).toBe(10);
      runCodeOf(undefined);
      await migrate(site.stack.databaseUrls);
      await sleep(togetherMs);
    });
  });

  test('new replicas join those of the release, and then replace them', async () => {
    await passes('the second replica of each is new, the first of the release', async () => {
      await roll(everyProcess(site).filter(isSecond));
      await sleep(togetherMs);
      expect(numberOfReleased()).toBe(5);
    });
    await passes('all replicas are new', async () => {
      await roll(everyProcess(site).filter((process) => !isSecond(process)));
      await sleep(togetherMs);
      expect(numberOfReleased()).toBe(0);
    });
  });

  test('the code goes back, and the schema stays', async () => {
    await passes('all replicas are of the release again, on the new schema', async () => {
      runCodeOf(released.services);
      await roll(everyProcess(site));
      await sleep(togetherMs);
      expect(numberOfReleased()).toBe(10);
    });
  });
});
