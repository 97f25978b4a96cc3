/**
 * Runs the JavaScript and the shell of the console's snippets against an issuer that answers over
 * plain HTTP, as `npm start` does.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { App } from './fields.ts';
import { snippetsOf } from './snippets.ts';

// Inside the repository, so that the libraries of the snippets are found.
const folder = mkdtempSync(join(import.meta.dirname, '.snippets-'));
const server = createServer((request, response) => {
  const isToken = request.url?.endsWith('/oauth/token') === true;
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(isToken ? { access_token: 'token', token_type: 'Bearer', expires_in: 900 } : metadata()));
});
let issuer = '';
function metadata() {
  const endpoints = { authorization_endpoint: `${issuer}/oauth/authorize`, token_endpoint: `${issuer}/oauth/token` };
  return {
    ...endpoints,
    issuer,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
  };
}

beforeAll(async () => {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  issuer = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/org/a/prj/b`;
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const app = { clientId: 'client', redirectUris: ['http://127.0.0.1:8080/callback'], postLogoutRedirectUris: [], scopes: [] };
const run = promisify(execFile);

for (const type of ['web', 'spa', 'native', 'machine'] as const)
  test(`the snippets of a ${type} app run against an installation on plain HTTP`, async () => {
    const env = { ...process.env, CLIENT_SECRET: 'secret' };
    let executed = 0;
    for (const { library, code } of snippetsOf({ ...app, type } as unknown as App, issuer)) {
      // What stands behind it needs the answer of a person's sign-in.
      const [begin = ''] = code.split('// At the redirect URI:');
      if (library === 'curl')
        expect(JSON.parse((await run('bash', ['-c', `${begin} --silent`], { env })).stdout)).toMatchObject({ expires_in: 900 });
      else if (/^import \* as (client|oauth) /.test(code)) {
        const file = join(folder, `${type}-${executed}.mjs`);
        writeFileSync(file, begin);
        await run(process.execPath, [file], { env });
      } else continue;
      executed += 1;
    }
    expect(executed).toStrictEqual({ web: 2, spa: 1, native: 1, machine: 2 }[type]);
  });

test('over https no snippet permits plain HTTP', () => {
  for (const type of ['web', 'spa', 'native', 'machine'] as const)
    for (const { code } of snippetsOf({ ...app, type } as unknown as App, 'https://id.example.com/org/a/prj/b'))
      expect(code).not.toMatch(/insecure/i);
});
