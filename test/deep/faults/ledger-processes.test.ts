/** Services and engines that are killed, frozen, starved or set to a wrong time, under traffic. */
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { withClient } from '../../../tools/postgres/bootstrap.ts';
import { services } from '../../../tools/services.ts';
import { record } from '../../support/faults/record.ts';
import { type Cluster, installedTools, makeFolder } from '../../support/faults/site/cluster.ts';
import { openSite, type Site, siteUnless } from '../../support/faults/site/site.ts';
import { Traffic } from '../../support/faults/site/traffic.ts';
import { measuredHere, type Result, tableHead, tableRow, undergo } from '../../support/faults/site/undergo.ts';
import { describeUnless } from '../../support/unless.ts';
import { until } from '../../support/until.ts';

const frozenMs = 4_000;
const rows: Result[] = [];
const notes: string[] = [];
let site: Site;
let traffic: Traffic;

/** Nothing acknowledged is lost, whatever happens, and everything comes back by itself. */
async function survives(name: string, inflict: () => Promise<void>): Promise<Result> {
  const result = await undergo(name, site, traffic, inflict);
  rows.push(result);
  write();
  expect([result.lost, result.broken]).toStrictEqualFor(name, [[], []]);
  expect(result.acknowledged).toBeGreaterThan(5);
  return result;
}

function firstOf(service: (typeof services)[number]) {
  const [first] = site.replicasOf(service);
  if (first === undefined) throw new Error(`no ${service}`);
  return first;
}

function signal(pid: number | undefined, name: NodeJS.Signals): void {
  if (pid !== undefined) process.kill(pid, name);
}

describeUnless(siteUnless())('under traffic', () => {
  beforeAll(async () => {
    site = await openSite({ serviceEnv: { rbac: { NODE_OPTIONS: `--import=${new URL('site/clock.ts', import.meta.url).href}` } } });
    traffic = await Traffic.prepare(site.stack, site.urls);
  });
  afterAll(async () => {
    await traffic?.close();
    await site?.[Symbol.asyncDispose]();
  });

  for (const service of services) {
    test(`SIGKILL of a replica of ${service}`, async () => {
      await survives(`SIGKILL of one of two replicas of ${service}`, async () => signal(firstOf(service).pid, 'SIGKILL'));
    });
    test(`a replica of ${service} stands still`, async () => {
      await survives(`one of two replicas of ${service} frozen for ${frozenMs / 1_000} s`, async () => {
        const { pid } = firstOf(service);
        signal(pid, 'SIGSTOP');
        await sleep(frozenMs);
        signal(pid, 'SIGCONT');
      });
    });
  }

  for (const engine of ['nats', 'redis', 'postgres'] as const) {
    test(`SIGKILL of ${engine}`, async () => {
      const program = site.engines[engine];
      await survives(`SIGKILL of ${engine}, started again after 2 s`, async () => {
        await program.kill();
        await sleep(2_000);
        await program.start();
      });
    });
    test(`${engine} stands still`, async () => {
      const program = site.engines[engine];
      await survives(`${engine} frozen for ${frozenMs / 1_000} s`, async () => {
        program.freeze();
        await sleep(frozenMs);
        program.thaw();
      });
    });
  }

  test('a replica with little memory', async () => {
    const [, second] = site.replicasOf('tenancy');
    await survives('one of two replicas of tenancy with 40 MiB of heap', async () => {
      await second?.stop();
      const isStarted = await second?.start({ NODE_OPTIONS: '--max-old-space-size=40' }).then(
        () => true,
        () => false,
      );
      notes.push(`With 40 MiB of heap a replica of tenancy ${isStarted ? 'gets ready' : 'ends before it is ready'}.`);
      await sleep(frozenMs);
      // Once it was ready, its supervisor starts it again.
      if (isStarted) await until(() => second?.pid !== undefined);
      await sleep(isStarted ? 3_000 : 0);
      await second?.restart();
    });
  });

  for (const hours of [1, -1])
    test(`the clock of a replica jumps by ${hours} h`, async () => {
      await survives(
        `the clock of one of two replicas of rbac ${Math.abs(hours)} h ${hours > 0 ? 'ahead' : 'behind'} for ${frozenMs / 1_000} s`,
        async () => {
          const { pid } = firstOf('rbac');
          signal(pid, hours > 0 ? 'SIGUSR2' : 'SIGWINCH');
          await sleep(frozenMs);
          signal(pid, 'SIGHUP');
        },
      );
    });

  test('Postgres finds its disk full', async () => {
    await using disk = await openSmallDisk();
    if (!disk.isMounted) {
      notes.push('A full disk was not tried: no right to mount a small file system here.');
      return;
    }
    const { postgres } = site.engines;
    await survives('disk of Postgres full for 8 s, then Postgres started again', async () => {
      disk.fill();
      await sleep(2 * frozenMs);
      disk.empty();
      await postgres.stop();
      await postgres.start();
    });
  });

  test('Postgres fails over to a standby that had every commit', async () => {
    if (installedTools() === undefined) {
      notes.push('Failing over was not tried: pg_basebackup is not installed here.');
      return;
    }
    const first = site.engines.postgres;
    const standby = await first.baseBackup(join(site.folder, 'standby'), ['--write-recovery-conf']);
    await standby.start();
    await withClient(first.adminUrl, async (client) => {
      await client.query(`ALTER SYSTEM SET synchronous_standby_names = '*'`);
      await client.query('SELECT pg_reload_conf()');
    });
    await survives('SIGKILL of Postgres; its synchronous standby is promoted', async () => {
      await first.kill();
      await standby.query('SELECT pg_promote()');
      await standby.query(`ALTER SYSTEM SET synchronous_standby_names = ''`);
      await standby.query('SELECT pg_reload_conf()');
      site.serveFrom(standby);
    });
  });

  test('a write that is taken out of a database is found missing', async () => {
    traffic.start();
    await sleep(1_500);
    await traffic.stop();
    expect(await traffic.ledger.compare(site.adminUrl())).toStrictEqual([]);
    await withClient(site.adminUrl(), (client) =>
      client.query(
        `UPDATE rbac.tags SET deleted_at = now() WHERE id = (SELECT id FROM rbac.tags WHERE deleted_at IS NULL ORDER BY id DESC LIMIT 1)`,
      ),
    );
    expect(await traffic.ledger.compare(site.adminUrl())).toStrictEqual([expect.stringMatching(/^tag .*: acknowledged .*, kept nothing$/)]);
  });
});

const freeMiB = 64;

/** The data of Postgres on a file system of its own with a little room, where that is allowed. */
async function openSmallDisk() {
  const { postgres } = site.engines;
  const place = postgres.data;
  const usedMiB = Number.parseInt(run('du', ['-s', '--block-size=1M', place]), 10);
  await moveData(postgres, () => spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${usedMiB + freeMiB}m`, 'tmpfs', place]));
  const isMounted = spawnSync('mountpoint', ['--quiet', place]).status === 0;
  const filler = join(place, 'filler');
  return {
    isMounted,
    fill() {
      const { bavail, bsize } = statfsSync(place);
      // Closed at once: a file that is removed while it is open keeps its room.
      const opened = openSync(filler, 'w');
      // Postgres may have taken some of it meanwhile.
      spawnSync('head', ['--bytes', `${bavail * bsize}`, '/dev/zero'], { stdio: ['ignore', opened, 'ignore'] });
      closeSync(opened);
    },
    empty: () => rmSync(filler),
    [Symbol.asyncDispose]: () => moveData(postgres, () => isMounted && spawnSync('umount', [place])),
  };
}

/** What a program printed; throws when it failed. */
function run(program: string, args: readonly string[]): string {
  return execFileSync(program, args, { encoding: 'utf8' });
}

/** Stops Postgres, and gives it its data back after the change of the folder. */
async function moveData(postgres: Cluster, change: () => unknown): Promise<void> {
  const [place, aside] = [postgres.data, `${postgres.data}-aside`];
  await postgres.stop();
  run('cp', ['-a', place, aside]);
  for (const name of readdirSync(place)) rmSync(join(place, name), { recursive: true });
  change();
  makeFolder(place);
  for (const name of readdirSync(place)) rmSync(join(place, name), { recursive: true });
  run('cp', ['-a', `${aside}/.`, place]);
  rmSync(aside, { recursive: true });
  await postgres.start();
}

/** After each case, so that a run that is cut off leaves what it has measured. */
function write(): void {
  record('Ledger of faults: processes', [
    'Two replicas of every service and of the gateway, one Postgres, NATS and Redis; people who read and write through both gateways, each request sent',
    'once. Afterwards every acknowledged write is looked for in the databases and in the audit log, and the invariants are checked over all schemas.',
    `A killed process is started again by its supervisor. ${measuredHere()}`,
    '',
    ...tableHead,
    ...rows.map(tableRow),
    ...notes.map((note) => `\n${note}`),
  ]);
}
