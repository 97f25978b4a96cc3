/** Programs of others, which a test installs from the registry of npm. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Why the package can't be had, for `testUnless`. */
export function withoutPackage(spec: string): string | false {
  try {
    execFileSync('npm', ['view', spec, 'version', '--fetch-retries=0', '--fetch-timeout=20000'], { stdio: 'ignore' });
    return false;
  } catch {
    return `SKIPPED: ${spec} was NOT INSTALLED, the registry of npm cannot be reached`;
  }
}

/** The folder that holds node_modules with the package. */
export async function installPackage(spec: string, cleanup: AsyncDisposableStack): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-npm-'));
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  await run('npm', ['install', spec, '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'], { cwd: folder });
  return folder;
}
