import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { allGaps, faultsOf } from '../languages/gaps.ts';
import { repositoryFolder } from '../stack/repository.ts';
import { findBreakingChanges } from './breaking/release.ts';
import { findCommentFaults } from './comments.ts';
import { findDockerfileFaults } from './dockerfile.ts';
import { missingFromLockfile } from './lockfile.ts';
import { publishedOpenApi, spectralFaults } from './openapi.ts';
import { findRoomFaults } from './rooms.ts';
import { findWords } from './words.ts';

interface Step {
  readonly name: string;
  /** The faults as text; empty when there are none. */
  readonly run: () => Promise<string>;
}

const code = ['kernel', 'server', 'services', 'packages', 'proto'];
const steps: readonly Step[] = [
  { name: 'types', run: () => program('tsc', ['-p', 'tsconfig.json', '--pretty', 'false']) },
  { name: 'types of the pages', run: () => program('tsc', ['-p', 'web/tsconfig.json', '--pretty', 'false']) },
  { name: 'format and lint', run: () => program('biome', ['check', '--error-on-warnings', '--max-diagnostics=50', '--colors=off', '.']) },
  { name: 'lint with types', run: () => program('oxlint', ['--type-aware', '--deny-warnings', '--format=unix']) },
  { name: 'boundaries', run: () => program('depcruise', ['--config', '.dependency-cruiser.mjs', '--output-type', 'err-long', ...code]) },
  { name: 'rooms', run: async () => findRoomFaults().join('\n') },
  { name: 'unused', run: () => program('knip', ['--no-progress', '--no-config-hints']) },
  { name: 'generated files', run: generatedFiles },
  { name: 'openapi lint', run: lintOpenApi },
  { name: 'breaking changes', run: async () => findBreakingChanges().join('\n') },
  { name: 'dockerfile', run: async () => findDockerfileFaults().join('\n') },
  { name: 'lockfile', run: async () => missingFromLockfile().join('\n') },
  { name: 'words', run: async () => findWords().join('\n') },
  { name: 'languages', run: async () => languageFaults() },
  { name: 'comments', run: async () => findCommentFaults().join('\n') },
];

const began = performance.now();
const wanted = process.argv.slice(2);
const chosen = steps.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
const results = await Promise.all(chosen.map(async ({ name, run }) => ({ name, fault: await run() })));
const wrong = results.filter(({ fault }) => fault !== '');
for (const { name, fault } of wrong) console.log(`✖ ${name}\n${fault.replace(/^/gm, '    ')}\n`);
const good = results.filter(({ fault }) => fault === '').map(({ name }) => name);
console.log(`${good.length > 0 ? `✔ ${good.join(', ')}; ` : ''}${((performance.now() - began) / 1000).toFixed(1)} s`);
if (chosen.length === 0) console.log(`No such step; there are: ${steps.map(({ name }) => name).join(', ')}`);
process.exitCode = wrong.length > 0 || chosen.length === 0 ? 1 : 0;

function languageFaults(): string {
  const { all, gaps } = allGaps();
  return gaps.flatMap((gap) => faultsOf(gap, all)).join('\n');
}

async function generatedFiles(): Promise<string> {
  const script = join(repositoryFolder, 'tools', 'generate', 'main.ts');
  return existsSync(script) ? output(process.execPath, ['--disable-warning=ExperimentalWarning', script, '--check']) : '';
}

/** Two linters, because each has rules that the other has not. */
async function lintOpenApi(): Promise<string> {
  const [redocly, spectral] = await Promise.all([program('redocly', ['lint', 'docs/openapi.json']), spectralFaults(publishedOpenApi())]);
  return [redocly, ...spectral].filter((fault) => fault !== '').join('\n');
}

/** Runs a program of node_modules/.bin on the pinned Node. Returns its output when it fails. */
function program(name: string, args: readonly string[]): Promise<string> {
  return output(process.execPath, [join(repositoryFolder, 'node_modules', '.bin', name), ...args]);
}

async function output(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, {
    cwd: repositoryFolder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  });
  const ended = new Promise<number>((done) => child.once('close', (exitCode) => done(exitCode ?? 1)));
  const [said, errors, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return exitCode === 0 ? '' : `${said}${errors}`.trim() || `${command} ended with exit code ${exitCode}`;
}
