/** The tessera command as others get it: packed, unpacked in an empty folder, on a whole stack. */
import { execFile, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openStack } from '../shared-stack.ts';
import { createOrganization, createPerson, createProject } from '../world.ts';
import { unpackPackages } from './unpack.ts';

export type Said = { readonly code: number | null; readonly out: string; readonly err: string };
type Env = Readonly<Record<string, string>>;
export type Terminal = ReturnType<ReturnType<typeof terminals>>;
export type Workplace = Awaited<ReturnType<typeof openWorkplace>>;

/** Each terminal has an empty configuration folder. */
function terminals(folder: string, url: string) {
  let opened = 0;
  return (env: Env = {}) => {
    opened += 1;
    const home = join(folder, `home-${opened}`);
    mkdirSync(home);
    const whole = { PATH: process.env.PATH ?? '', HOME: home, XDG_CONFIG_HOME: home, TESSERA_URL: url, ...env };
    const script = join(folder, 'node_modules', '@tessera', 'cli', 'dist', 'main.js');
    const run = (...args: readonly string[]): Promise<Said> =>
      new Promise((resolve) => {
        execFile(process.execPath, [script, ...args], { env: whole, cwd: folder }, (error, out, err) =>
          resolve({ code: error === null ? 0 : Number(error.code), out, err }),
        ).stdin?.end();
      });
    const start = (...args: readonly string[]) => spawn(process.execPath, [script, ...args], { env: whole, cwd: folder });
    return { home, run, start };
  };
}

/** With an owner of the organization Birch, which has the project Shop. */
export async function openWorkplace(cleanup: AsyncDisposableStack) {
  const folder = unpackPackages(cleanup, ['client', 'cli']);
  const stack = await openStack();
  const owner = await createPerson(stack);
  const birch = await createOrganization(owner, 'Birch');
  const shop = await createProject(owner, birch, 'Shop');
  const world = { birch, shop, organization: `organization:${birch.id}`, project: `${shop.tenant}:${shop.id}` };
  const openTerminal = terminals(folder, stack.url);
  const asOwner = (env: Env = {}) => openTerminal({ TESSERA_TOKEN: owner.token, TESSERA_SCOPE: world.project, ...env });
  return { folder, stack, owner, world, openTerminal, asOwner };
}
