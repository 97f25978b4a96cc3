import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';

test('the progress of an install moves while npm fills the folders that it made first', async () => {
  const root = mkdtempSync(join(tmpdir(), 'tessera-test-'));
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, 'tools'));
  copyFileSync(new URL('run.mjs', import.meta.url), join(root, 'tools', 'run.mjs'));
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages: { 'node_modules/a': { version: '1.0.0' } } }));
  const npm = join(root, 'npm.js');
  writeFileSync(
    npm,
    `const { mkdirSync, writeFileSync } = require('node:fs');
     mkdirSync('node_modules/a', { recursive: true });
     let files = 0;
     const timer = setInterval(() => {
       writeFileSync('node_modules/a/' + files++, '');
       if (files === 14) { clearInterval(timer); process.exit(1); }
     }, 500);`,
  );
  const run = spawn(process.execPath, [join(root, 'tools', 'run.mjs'), 'x.ts'], { env: { ...process.env, npm_execpath: npm } });
  const said = await text(run.stdout);
  const counts = [...said.matchAll(/(\d+) files in node_modules/g)].map(([, count]) => Number(count));
  expect(counts.length).toBeGreaterThan(1);
  expect(new Set(counts).size).toBe(counts.length);
}, 30_000);
