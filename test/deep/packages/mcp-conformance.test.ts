/**
 * The conformance package of MCP asks the issuer of a project, as an authorization server of MCP.
 * docs/mcp-conformance.md says what of the package cannot ask us, and what shows the same.
 */
import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect } from '@jest/globals';
import { issuerOf } from '@tessera/kernel/tokens';
import { installPackage, withoutPackage } from '../../support/packages/npm.ts';
import { openSignIn } from '../../support/sign-in.ts';
import { testUnless } from '../../support/unless.ts';
import { dataOf } from '../../support/world.ts';

const conformance = '@modelcontextprotocol/conformance@0.2.0-alpha.12';
const unreachable = withoutPackage(conformance);

const cleanup = new AsyncDisposableStack();
afterAll(() => cleanup.disposeAsync());
const { stack, createShop } = await openSignIn();

type Check = { readonly id: string; readonly status: string; readonly errorMessage?: string };

testUnless(unreachable)('the metadata of an issuer passes each check of the package', async () => {
  const folder = await installPackage(conformance, cleanup);
  const { owner, project } = await createShop();
  const rules = { scope: project, allowClientMetadataDocuments: true, clientDomains: ['mcp.example.com'], clientScopes: [] };
  dataOf(await owner.client.call('PUT', '/api/client-documents', { body: rules, token: owner.token }));

  const out = join(folder, 'results');
  const program = join(folder, 'node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js');
  const scenario = ['--scenario', 'authorization-server-metadata-endpoint'];
  const args = ['authorization', '--url', issuerOf(stack.url, project), ...scenario, '--output-dir', out];
  await promisify(execFile)(process.execPath, [program, ...args], { cwd: folder, timeout: 60_000 });
  const checks = globSync('**/checks.json', { cwd: out }).flatMap((file) => JSON.parse(readFileSync(join(out, file), 'utf8')) as Check[]);
  expect(Object.fromEntries(checks.map(({ id, status, errorMessage }) => [id, errorMessage ?? status]))).toStrictEqual({
    'authorization-server-metadata': 'SUCCESS',
    'authorization-server-metadata-cimd': 'SUCCESS',
  });
});
