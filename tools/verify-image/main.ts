import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type Instruction, parseDockerfile } from '../scan-image/dockerfile.ts';
import { conclude, scanImage } from '../scan-image/scan.ts';
import { repositoryFolder } from '../stack/repository.ts';
import { type Launch, runImage } from './run-image.ts';

/**
 * A folder takes the place of the image's root, with `/app` and `/data` below it, and this account
 * the place of its user.
 */
const imageUser = process.getuid?.() === 0 ? { uid: 1000, gid: 1000 } : {};
const stages = parseDockerfile(readFileSync(join(repositoryFolder, 'deploy', 'Dockerfile'), 'utf8'));

await using parts = new AsyncDisposableStack();
const root = mkdtempSync(join(tmpdir(), 'tessera-image-'));
parts.defer(() => rmSync(root, { recursive: true, force: true }));
spawnSync('chmod', ['755', root]);

const context = step('context', () => checkOut(join(root, 'context')));
const folders = new Map<string, string>();
for (const { name, instructions } of stages) step(`stage ${name || 'final'}`, () => build(name, instructions));
const app = join(folders.get('') ?? '', 'app');
const size = spawnSync('du', ['-sm', app], { encoding: 'utf8' }).stdout.split('\t')[0];
console.log(`  image contents: ${size} MB`);
const [scanned, isGood] = conclude(await scanImage({ root: folders.get('') ?? '' }), false);
console.log(scanned);
if (!isGood) throw new Error('The scan found faults');
// The base image has Node at /usr/local/bin/node; the same version is copied to where the image's
// account can read it.
const node = join(root, 'node');
cpSync(process.execPath, node);
const launch: Launch = (words, env) => {
  const command = ['--disable-warning=ExperimentalWarning', ...words];
  const environment = { PATH: '/usr/bin:/bin', NODE_ENV: 'production', ...env };
  const child = spawn(node, command, { ...imageUser, cwd: app, env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
  return { child, terminate: () => child.kill('SIGTERM') };
};
await runImage({ launch, dataFolder: join(root, 'stage-final', 'data') });
console.log('The image builds, migrates, starts, answers and stops.');

function step<Result>(name: string, run: () => Result): Result {
  const began = performance.now();
  const result = run();
  console.log(`  ${name.padEnd(20)} ${((performance.now() - began) / 1000).toFixed(1)} s`);
  return result;
}

/** What the engine would be sent: the committed files. */
function checkOut(folder: string): string {
  mkdirSync(folder);
  shell(`git -C "${repositoryFolder}" archive HEAD | tar -x -C "${folder}"`, repositoryFolder);
  return folder;
}

function build(name: string, instructions: readonly Instruction[]): void {
  const stageRoot = join(root, `stage-${name || 'final'}`);
  const workdir = join(stageRoot, 'app');
  mkdirSync(workdir, { recursive: true });
  folders.set(name, stageRoot);
  for (const instruction of instructions) {
    if (instruction.kind === 'COPY') copy(instruction, workdir);
    // Each absolute path is one below the stage's folder; a path of this machine would be harmed.
    if (instruction.kind === 'RUN') shell(instruction.command.replaceAll(/(?<=\s)\//g, `${stageRoot}/`), workdir);
  }
}

function copy({ from, sources, target }: Instruction & { readonly kind: 'COPY' }, workdir: string): void {
  for (const source of sources) {
    const path = from === undefined ? join(context, source) : join(folders.get(from) ?? '', source);
    const into = target.endsWith('/') && !isFolder(path) ? join(workdir, target, basename(source)) : join(workdir, target);
    cpSync(path, into, { recursive: true, verbatimSymlinks: true });
  }
}

function isFolder(path: string): boolean {
  return spawnSync('test', ['-d', path]).status === 0;
}

function shell(command: string, cwd: string): void {
  const result = spawnSync('sh', ['-ec', command], { cwd, encoding: 'utf8' });
  if (result.status !== 0) throw new Error(`${command}\n${result.stdout}${result.stderr}`);
}
