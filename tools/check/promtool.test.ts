import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { testUnless } from '../../test/support/unless.ts';
import { repositoryFolder } from '../stack/repository.ts';

const folder = join(repositoryFolder, 'deploy', 'observability');
const noPromtool = spawnSync('promtool', ['--version']).error !== undefined && 'NOT RUN with promtool: apt-get install prometheus';

const ruleFiles = ['alerts', 'alerts-patroni'];

function read(name: string): string {
  return readFileSync(join(folder, name), 'utf8');
}

function promtool(...given: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync('promtool', given, { cwd: folder, encoding: 'utf8' });
  expect(status).toStrictEqualFor(`${stdout}${stderr}`, 0);
}

testUnless(noPromtool)('promtool accepts the scrape configuration and the alert rules', () =>
  promtool('check', 'config', 'prometheus.yml'),
);

testUnless(noPromtool)('each alert fires for the series of its case, and no other alert does', () =>
  promtool('test', 'rules', ...ruleFiles.map((name) => `${name}.test.yml`)),
);

test.each(ruleFiles)('every alert of %s has a case in which it fires', (name) => {
  const alerts = [...read(`${name}.yml`).matchAll(/- alert: (\w+)/g)].map(([, alert = '']) => alert);
  const firing = new Set([...read(`${name}.test.yml`).matchAll(/alertname="(\w+)"/g)].map(([, alert = '']) => alert));
  expect([...firing].sort()).toStrictEqual([...alerts].sort());
});

testUnless(noPromtool)('every query of the dashboard is valid PromQL', async () => {
  await using cleanup = new AsyncDisposableStack();
  const place = mkdtempSync(join(tmpdir(), 'promtool-'));
  cleanup.defer(() => rmSync(place, { recursive: true }));
  const panels: readonly { targets: { expr: string }[] }[] = JSON.parse(read('dashboard.json')).panels;
  const queries = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m')));
  const rules = queries.map((expr, index) => ({ record: `panel:${index}`, expr }));
  writeFileSync(join(place, 'panels.yml'), JSON.stringify({ groups: [{ name: 'panels', rules }] }));
  expect(queries.length).toBeGreaterThan(20);
  promtool('check', 'rules', join(place, 'panels.yml'));
});
