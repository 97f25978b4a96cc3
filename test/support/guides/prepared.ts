/** What docs/guides/README.md says to do before any guide, with the packed packages. */
import { execFile } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { choosePort } from '../../../tools/stack/ports.ts';
import { unpackPackages } from '../packages/unpack.ts';
import { openStack } from '../shared-stack.ts';
import { createOrganization, createPerson, createProject } from '../world.ts';
import { blocksOf, type Env, guidesFolder, openPage, type Page } from './page.ts';

export type Prepared = Awaited<ReturnType<typeof prepareGuides>>;

/** `linked`: packages of the repository that the guides need beside ours. */
export async function prepareGuides(cleanup: AsyncDisposableStack, linked: readonly string[] = []) {
  const home = unpackPackages(cleanup, ['client', 'cli', 'verifier', 'authorizer'], linked);
  const port = await choosePort(0, '127.0.0.1');
  const stack = await openStack();
  const owner = await createPerson(stack);
  const project = await createProject(owner, await createOrganization(owner));
  const { tenant, id } = project;
  const bin = join(home, 'bin');
  mkdirSync(bin);
  writeFileSync(
    join(bin, 'tessera'),
    `#!/bin/sh\nexec "${process.execPath}" "${join(home, 'node_modules/@tessera/cli/dist/main.js')}" "$@"\n`,
  );
  chmodSync(join(bin, 'tessera'), 0o755);
  const first = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: home,
    XDG_CONFIG_HOME: home,
    TESSERA_URL: stack.url,
    TESSERA_TOKEN: owner.token,
    TESSERA_SCOPE: `${tenant}:${id}`,
  };
  const page = openPage('README', join(home, 'start'), port);
  const commands = blocksOf(join(guidesFolder, 'README.md')).filter(({ language }) => language === 'sh');
  const script = [...commands.map(({ text }) => text.replaceAll('8080', String(port))), 'env -0'].join('\n');
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { cwd: page.folder, env: first });
  const { TESSERA_TOKEN: _, ...ended } = Object.fromEntries(
    stdout
      .split('\0')
      .filter(Boolean)
      .map((line) => line.split(/=(.*)/s) as [string, string]),
  );
  /** The environment that the page ends with. */
  const env: Env = ended;
  /** A page with what the first one has made. */
  function open(name: string): Page {
    const folder = join(home, name);
    cpSync(join(home, 'start'), folder, { recursive: true });
    return openPage(name, folder, port);
  }
  return { home, port, stack, owner, project, env, open };
}
