/**
 * The conformance package of MCP asks the issuer of a project, as an authorization server of MCP.
 * docs/mcp-conformance.md says what of the package cannot ask us, and what shows the same.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect } from '@jest/globals';
import { issuerOf } from '@tessera/kernel/tokens';
import { choosePort } from '../../../tools/stack/ports.ts';
import { installPackage, withoutPackage } from '../../support/packages/npm.ts';
import { openPersonsBrowser, sayYes } from '../../support/packages/person-browser.ts';
import { openSignIn } from '../../support/sign-in.ts';
import { testUnless } from '../../support/unless.ts';
import { dataOf } from '../../support/world.ts';

const conformance = '@modelcontextprotocol/conformance@0.2.0-alpha.12';
const unreachable = withoutPackage(conformance);

const cleanup = new AsyncDisposableStack();
afterAll(() => cleanup.disposeAsync());
const { stack, createShop } = await openSignIn();

type Check = { readonly id: string; readonly status: string; readonly errorMessage?: string };

const program = ['node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js'];

testUnless(unreachable)(
  'an issuer passes each check of the package: of its metadata, and of a code for a client that names no scope',
  async () => {
    const folder = await installPackage(conformance, cleanup);
    const { owner, project, roleId, createApp } = await createShop();
    dataOf(await owner.client.patch(`/api/users/${owner.userId}`, { scope: project, roleIds: [roleId] }, owner.token));
    const rules = { scope: project, allowClientMetadataDocuments: true, clientDomains: ['mcp.example.com'], clientScopes: [] };
    dataOf(await owner.client.call('PUT', '/api/client-documents', { body: rules, token: owner.token }));
    const port = await choosePort(0, '127.0.0.1');
    const callback = `http://127.0.0.1:${port}/callback`;
    const fields = { type: 'native', redirectUris: [callback], scopes: ['order:read'], allowSignUp: false, signUpRoleId: null };
    const { clientId } = await createApp(fields);
    const browser = await openPersonsBrowser(stack, owner.email);

    const out = join(folder, 'results');
    const client = ['--client-id', clientId, '--port', String(port)];
    const args = ['authorization', '--url', issuerOf(stack.url, project), ...client, '--output-dir', out];
    const child = spawn(process.execPath, [join(folder, ...program), ...args], { cwd: folder, timeout: 60_000 });
    const lines: string[] = [];
    const visited: Promise<unknown>[] = [];
    for (const stream of [child.stdout, child.stderr]) createInterface(stream).on('line', (line) => lines.push(line));
    // It prints where a person has to go.
    createInterface(child.stdout).on('line', (line) => {
      if (line.includes('/oauth/authorize?')) visited.push(sayYes(browser, line.trim(), callback).then((back) => fetch(back)));
    });
    await once(child, 'exit');
    await Promise.all(visited);
    const [request = ''] = lines.filter((line) => line.includes('/oauth/authorize?'));
    expect([visited.length, new URL(request).searchParams.has('scope')]).toStrictEqual([1, false]);
    const checks = globSync('**/checks.json', { cwd: out }).flatMap((file) => JSON.parse(readFileSync(join(out, file), 'utf8')) as Check[]);
    expect(Object.fromEntries(checks.map(({ id, status, errorMessage }) => [id, errorMessage ?? status]))).toStrictEqualFor(lines, {
      'authorization-server-metadata': 'SUCCESS',
      'authorization-server-metadata-cimd': 'SUCCESS',
      'authorization-code-grant': 'SUCCESS',
    });
  },
);
