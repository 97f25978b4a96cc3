import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

export const publishedPackages = ['verifier', 'authorizer', 'client', 'react', 'next', 'cli', 'create-tessera'] as const;

export type Manifest = {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
};

export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

function npm(folder: string, args: readonly string[]): string {
  const quiet = ['--silent', '--no-audit', '--no-fund'];
  return (
    execFileSync('npm', [...args, ...quiet], { cwd: folder, encoding: 'utf8' })
      .trim()
      .split('\n')
      .at(-1) ?? ''
  );
}

/** What publint finds in an unpacked package: files that are missing, or of another kind. */
export async function packageFaults(folder: string): Promise<string[]> {
  const { messages, pkg } = await publint({ pkgDir: folder, level: 'suggestion', strict: true, pack: false });
  return messages.map((message) => formatMessage(message, pkg, { color: false }) ?? message.code);
}

/** `npm pack`, whose `prepack` removes what was built before, builds, and adds the licence. */
export function packBuilt(source: string, destination: string): string {
  return join(destination, npm(source, ['pack', '--pack-destination', destination]));
}

/** Makes a packed package one that can be published; returns the file. A fault refuses it. */
export async function makePublishable(packed: string, destination: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-release-'));
  try {
    execFileSync('tar', ['-xzf', packed, '-C', folder, '--strip-components=1']);
    const { private: _, ...manifest } = readManifest(folder);
    writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    const faults = await packageFaults(folder);
    if (faults.length > 0) throw new Error(`${manifest.name} was not packed:\n${faults.join('\n')}`);
    return join(destination, npm(folder, ['pack', '--ignore-scripts', '--pack-destination', destination]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
