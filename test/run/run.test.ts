/** What `npm test` guarantees: each test runs Jest on a file of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, test } from '@jest/globals';
import { repositoryFolder } from '../../tools/stack/repository.ts';
import { until } from '../support/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'tessera-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

const { default: config } = await import(join(repositoryFolder, 'jest.config.mjs'));
const program = join(repositoryFolder, 'node_modules', 'jest', 'bin', 'jest.js');

/** Starts Jest on files of this content. No engine is started: these tests need none. */
function start(contents: readonly string[], flags: readonly string[] = [], limitMs = 240_000) {
  const rootDir = mkdtempSync(join(folder, 'case-'));
  const temporary = join(rootDir, 'tmp');
  mkdirSync(temporary);
  mkdirSync(join(rootDir, 'testing'));
  writeFileSync(join(rootDir, 'testing', 'noted.ts'), 'export const noted: string[] = [];');
  writeFileSync(join(rootDir, 'product.ts'), 'export const product = { files: 0 };');
  for (const [index, content] of contents.entries())
    writeFileSync(join(rootDir, `${index}.test.ts`), `import { expect, test } from '@jest/globals';\n${content}`);
  const [project] = config.projects;
  const own = { ...project, rootDir, testMatch: ['<rootDir>/*.test.ts'], testEnvironmentOptions: { limitMs } };
  const projects = JSON.stringify({ ...config, rootDir, projects: [own] }).replaceAll(
    '<rootDir>/test/run',
    join(repositoryFolder, 'test', 'run'),
  );
  const unused = { TEST_DATABASE_ADMIN_URL: 'postgres://none', TEST_NATS_URL: 'nats://none', TEST_REDIS_URL: 'redis://none' };
  const options = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', program, '--config', projects];
  const child = spawn(process.execPath, [...options, ...flags], {
    cwd: rootDir,
    env: { ...process.env, ...unused, TEST_EVIDENCE: undefined, TMPDIR: temporary, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = Promise.all([text(child.stdout), text(child.stderr)]);
  return { child, said, temporary };
}

async function run(content: string | readonly string[], flags: readonly string[] = [], limitMs?: number) {
  const { child, said, temporary } = start([content].flat(), flags, limitMs);
  const [status] = await once(child, 'exit');
  const [output, errors] = await said;
  expect(readdirSync(temporary).filter((name) => name.startsWith('tessera-'))).toStrictEqual([]);
  return { last: output.trimEnd().split('\n').at(-1), output: `${output}\n${errors}`, status };
}

describe('npm test', () => {
  test.concurrent('has more workers than cores, and fewer than two for each', async () => {
    const { child, said } = start([''], ['--showConfig']);
    await once(child, 'exit');
    const { maxWorkers } = JSON.parse((await said)[0]).globalConfig;
    expect(maxWorkers).toBeGreaterThanOrEqual(availableParallelism());
    expect(maxWorkers).toBeLessThan(2 * availableParallelism());
  });

  test.concurrent('ends with the counts, names what was skipped, and succeeds when all is well', async () => {
    const content = "test('one', () => {}); test('two', () => {}); test.skip('three (no engine)', () => {});";
    const { last, output, status } = await run(content);
    expect([last, status]).toStrictEqual(['2 passed, 0 failed, 1 skipped', 0]);
    expect(output).toContain('skipped: three (no engine)');
  });

  test.concurrent('what a file sets in its environment, and the state of its test code, end with it', async () => {
    const content = `
      import { noted } from './testing/noted.ts';
      test('nothing is left of another file', () => {
        expect([process.env['LEFT_BY_A_TEST'], noted]).toStrictEqual([undefined, []]);
        process.env['LEFT_BY_A_TEST'] = 'x';
        noted.push('x');
      });`;
    const { last } = await run([content, content], ['--maxWorkers=1']);
    expect(last).toBe('2 passed, 0 failed');
  });

  test.concurrent('the product is loaded once for all files of a worker', async () => {
    const content = `
      import { product } from './product.ts';
      test('loads the product', () => console.log('files of this worker:', (product.files += 1)));`;
    const { last, output } = await run([content, content], ['--maxWorkers=1']);
    expect(last).toBe('2 passed, 0 failed');
    for (const line of ['files of this worker: 1', 'files of this worker: 2']) expect(output).toContain(line);
  });

  test.concurrent('a test and what it loads share one realm: an error of the core is an Error', async () => {
    const content = `
      import { readFileSync } from 'node:fs';
      test('is an Error', () => {
        expect(() => readFileSync('/does/not/exist')).toThrow(Error);
        expect({ text: 'a', list: JSON.parse('[1]') }).toStrictEqual({ text: expect.any(String), list: expect.any(Array) });
      });`;
    expect((await run(content)).last).toBe('1 passed, 0 failed');
  });

  test.concurrent('shows a failure with what its file wrote, and fails', async () => {
    const { last, output, status } = await run("test('good', () => {}); test('bad', () => { console.log('a hint'); expect(1).toBe(2); });");
    expect([last, status]).toStrictEqual(['1 passed, 1 failed', 1]);
    for (const expected of ['● bad', 'a hint', 'Expected: 2', '0.test.ts:2:']) expect(output).toContain(expected);
  });

  test.concurrent('fails on a file that breaks before its tests, or whose process ends', async () => {
    for (const content of ["throw new Error('broken')", "test('good', () => process.kill(process.pid, 'SIGKILL'));"]) {
      const { last, status } = await run(content);
      expect([last, status]).toStrictEqual(['0 passed, 1 failed', 1]);
    }
  });

  test.concurrent('fails on a file without tests', async () => {
    const { last, status } = await run('');
    expect([last, status]).toStrictEqual(['0 passed, 1 failed', 1]);
  });

  test.concurrent('kills a file that blocks its process, says which, and runs the others', async () => {
    const stuck = "test('good', () => {}); test('stuck', () => { for (;;); });";
    const { last, output, status } = await run([stuck, "test('good', () => {});", "test('good', () => {});"], [], 10_000);
    expect(output).toContain('!!! 0.test.ts has not ended after 10 s and is killed');
    expect([last, status]).toStrictEqual(['2 passed, 1 failed', 1]);
  });

  test.concurrent('ends although a file leaves a timer that never stops', async () => {
    const { last, status } = await run("setInterval(() => {}, 1_000); test('good', () => {});");
    expect([last, status]).toStrictEqual(['1 passed, 0 failed', 0]);
  });

  test.concurrent('ends, and fails, when a process that a file left behind holds its output', async () => {
    const { child, said } = start([
      `import { spawn } from 'node:child_process';
       test('good', () => { console.log(\`left \${spawn('sleep', ['60'], { stdio: 'inherit', detached: true }).pid}.\`); });`,
    ]);
    const [status] = await once(child, 'exit');
    for (const stream of [child.stdout, child.stderr]) stream.destroy();
    await said.catch(() => undefined);
    expect(status).toBe(1);
  });

  test.concurrent('fails when no test ran', async () => {
    const { last, output, status } = await run("test('one', () => {});", ['-t', 'nothing of this name']);
    expect([last, status]).toStrictEqual(['0 passed, 1 failed, 1 skipped', 1]);
    expect(output).toContain('No test ran');
  });

  test.concurrent('fails when a secret got out, though every test passed', async () => {
    const evidence = join(repositoryFolder, 'test', 'support', 'evidence.ts');
    const { last, output, status } = await run(`import { noteEvidence, noteSecret } from '${evidence}';
      test('one', () => { noteSecret('password', 'hunter-2-hunter'); noteEvidence('log', 'said hunter-2-hunter aloud'); });`);
    expect([last, status]).toStrictEqual(['1 passed, 1 failed', 1]);
    expect(output).toMatch(/^Searched logs .* for 1 password,.*: FAILED/m);
  });

  test.concurrent('runs only the tests of a name when asked', async () => {
    const { last, status } = await run("test('alpha', () => {}); test('beta', () => { throw new Error(); });", ['-t', 'alpha']);
    expect([last, status]).toStrictEqual(['1 passed, 0 failed, 1 skipped', 0]);
  });

  test.concurrent('removes its files when it is interrupted, for they hold secrets', async () => {
    const { child, said, temporary } = start(["test('long', () => new Promise((done) => setTimeout(done, 60_000)));"]);
    const kept = () => readdirSync(temporary).filter((name) => name.startsWith('tessera-'));
    await until(() => kept().length > 0);
    child.kill('SIGTERM');
    const [status] = await once(child, 'exit');
    expect([status, kept(), (await said)[1].includes('Interrupted.')]).toStrictEqual([1, [], true]);
  });
});
