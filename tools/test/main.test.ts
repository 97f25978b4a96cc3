import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const folder = mkdtempSync(join(tmpdir(), 'tessera-test-'));
after(() => rmSync(folder, { recursive: true }));

/** Runs `npm test` on one file of this content, with engines that are not there: these tests need none. */
function run(content: string, ...flags: readonly string[]): { readonly lines: readonly string[]; readonly status: number | null } {
  const file = join(mkdtempSync(join(folder, 'case-')), 'a.test.ts');
  writeFileSync(file, `import { test } from 'node:test'; import assert from 'node:assert/strict';\n${content}`);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const unused = { TEST_DATABASE_ADMIN_URL: 'postgres://none', TEST_NATS_URL: 'nats://none', TEST_REDIS_URL: 'redis://none' };
  const main = fileURLToPath(new URL('main.ts', import.meta.url));
  const { stdout, status } = spawnSync(process.execPath, [main, ...flags, file], { env: { ...env, ...unused }, encoding: 'utf8' });
  return { lines: stdout.trimEnd().split('\n'), status };
}

describe('npm test', { concurrency: true }, () => {
  test('ends with the counts and succeeds when all is well', () => {
    const { lines, status } = run("test('one', () => {}); test('two', () => {}); test('three', { skip: 'no engine' }, () => {});");
    assert.equal(lines.at(-1), '2 passed, 0 failed, 1 skipped');
    assert.ok(lines.some((line) => line.includes('skipped: three: no engine')));
    assert.equal(status, 0);
  });

  test('shows a failure with what its file wrote, and fails', () => {
    const { lines, status } = run("test('good', () => {}); test('bad', () => { console.log('a hint'); assert.equal(1, 2); });");
    assert.equal(lines.at(-1), '1 passed, 1 failed');
    for (const expected of ['✖ bad', 'a hint', '1 !== 2'])
      assert.ok(
        lines.some((line) => line.includes(expected)),
        expected,
      );
    assert.equal(status, 1);
  });

  test('fails on a file that breaks before its tests, or leaves one hanging', () => {
    for (const content of ["throw new Error('broken')", "test('good', () => {}); setTimeout(() => process.exit(3), 50)"]) {
      const { lines, status } = run(content);
      assert.match(lines.at(-1) ?? '', /^\d passed, 1 failed$/);
      assert.equal(status, 1);
    }
  });

  test('ends a file that passes and never ends, or is stuck for good, and says which', () => {
    const left = "setInterval(() => {}, 1_000); test('good', () => {});";
    const stuck = "test('good', () => {}); test('stuck', () => { for (;;); });";
    for (const content of [left, stuck]) {
      const { lines, status } = run(content, '--limit', '2');
      assert.ok(
        lines.some((line) => /^!!! .*a\.test\.ts has not ended after 3 s and is killed$/.test(line)),
        lines.join('\n'),
      );
      assert.match(lines.at(-1) ?? '', /^\d passed, 1 failed$/);
      assert.equal(status, 1);
    }
  });

  test('ends a run whose output is held open by what a file has left behind', () => {
    const content = `import { spawn } from 'node:child_process';
      test('good', () => spawn('sleep', ['30'], { stdio: 'inherit', detached: true }).unref());`;
    const { lines, status } = run(content, '--limit', '2');
    assert.ok(lines.includes('!!! what a killed file has left behind still holds its output: the run ends here'), lines.join('\n'));
    assert.match(lines.at(-1) ?? '', /^1 passed, [1-9] failed$/);
    assert.equal(status, 1);
  });

  test('says how it is used, and runs nothing, when asked or misunderstood', () => {
    const content = "test('one', () => {});";
    const { lines, status } = run(content, '--help');
    assert.deepEqual([lines[0], status], ['npm test [-- [--deep] [--only <name>] [path …]]', 0]);
    assert.deepEqual([run(content, '--depe').lines, run(content, '--depe').status], [[''], 2]);
  });

  test('fails when no test ran', () => {
    for (const { lines, status } of [run(''), run("test('one', () => {});", '--only', 'nothing of this name')]) {
      assert.equal(lines.at(-1), '0 passed, 1 failed');
      assert.equal(status, 1);
    }
  });

  test('fails when a secret got out, though every test passed', () => {
    const evidence = fileURLToPath(new URL('../testing/evidence.ts', import.meta.url));
    const { lines, status } = run(`import { noteEvidence, noteSecret } from '${evidence}';
      test('one', () => { noteSecret('password', 'hunter-2-hunter'); noteEvidence('log', 'said hunter-2-hunter aloud'); });`);
    assert.equal(lines.at(-1), '1 passed, 1 failed');
    assert.ok(lines.some((line) => /^Searched logs .* for 1 password,.*: FAILED/.test(line)));
    assert.equal(status, 1);
  });

  test('runs only the tests of a name when asked', () => {
    const { lines, status } = run("test('alpha', () => {}); test('beta', () => assert.fail());", '--only', 'alpha');
    assert.equal(lines.at(-1), '1 passed, 0 failed');
    assert.equal(status, 0);
  });
});
