/**
 * The lines of docs/guides/libraries.md for next-auth 4, in next-auth itself, which npm installs
 * into a folder of its own: it is no dependency of this repository.
 */
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect } from '@jest/globals';
import { issuerOf } from '@tessera/kernel/tokens';
import { blocksOf, guidesFolder } from '../../support/guides/page.ts';
import { programOf, signInBy } from '../../support/guides/program.ts';
import { openSignIn } from '../../support/sign-in.ts';
import { testUnless } from '../../support/unless.ts';

const cleanup = new AsyncDisposableStack();
const signIns = await openSignIn();
afterAll(() => cleanup.disposeAsync());

function withoutRegistry(): string | false {
  try {
    execFileSync('npm', ['view', 'next-auth@4.24.0', 'version', '--fetch-retries=0', '--fetch-timeout=20000'], { stdio: 'ignore' });
    return false;
  } catch {
    return 'SKIPPED: the lines were NOT RUN in next-auth, the registry of npm cannot be reached';
  }
}

/** The route `pages/api/auth/[...nextauth]`, as Next.js calls it, and a visitor with cookies. */
const route = `
const callbacks = {
  jwt: ({ token, account }) => (account ? { ...token, idToken: account.id_token } : token),
  session: ({ session, token }) => ({ ...session, idToken: token.idToken }),
};
const options = { providers: [tessera], secret: 'a secret of the app that signs its own cookies', callbacks };
const jar = new Map();
async function visit(path, body) {
  const { pathname, searchParams } = new URL(path, process.env.NEXTAUTH_URL);
  const nextauth = pathname.split('/').slice(3);
  const answer = { headers: new Map() };
  const response = {
    status: () => response,
    getHeader: (name) => answer.headers.get(name.toLowerCase()),
    setHeader: (name, value) => (answer.headers.set(name.toLowerCase(), value), response),
    send: (value) => (answer.body = value),
    json: (value) => (answer.body = value),
    end: () => undefined,
  };
  const request = { method: body ? 'POST' : 'GET', query: { nextauth, ...Object.fromEntries(searchParams) }, cookies: Object.fromEntries(jar) };
  await NextAuth.default({ ...request, body: body ?? {}, headers: {} }, response, options);
  for (const line of [answer.headers.get('set-cookie') ?? []].flat()) {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
    jar.set(name, decodeURIComponent(value));
  }
  return { ...answer, location: answer.headers.get('location') };
}
const { body: { csrfToken } } = await visit('/api/auth/csrf');
const url = new URL((await visit('/api/auth/signin/tessera', { csrfToken })).location);
// At the redirect URI:
await visit(request.url.slice(process.env.NEXTAUTH_URL.length));
const tokens = { id_token: (await visit('/api/auth/session')).body.idToken };
`;

testUnless(withoutRegistry())('guide: the lines of next-auth 4 sign a person in', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-next-auth-'));
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--legacy-peer-deps'];
  await promisify(execFile)('npm', ['install', ...options, 'next-auth@4'], { cwd: folder });

  const redirectUri = 'https://app.example/api/auth/callback/tessera';
  const shop = await signIns.createShop();
  const app: { clientId: string; clientSecret?: string } = await shop.createApp({ type: 'web', redirectUris: [redirectUri] });
  const issuer = issuerOf(signIns.stack.url, shop.project);
  const lines = blocksOf(join(guidesFolder, 'libraries.md')).find(({ language }) => language === 'js')?.text ?? '';
  writeFileSync(join(folder, 'app.mjs'), programOf(`import NextAuth from 'next-auth';\n${lines}\n${route}`));
  const own = { ISSUER: issuer, CLIENT_ID: app.clientId, CLIENT_SECRET: app.clientSecret ?? '', NEXTAUTH_URL: 'https://app.example' };
  const program = { folder, redirectUri, env: { PATH: process.env.PATH, ...own } };
  const claims = await signInBy(signIns.stack, shop.owner, { ...program, run: [process.execPath, 'app.mjs'] });
  expect(claims).toMatchObject({ iss: issuer, aud: app.clientId, sub: shop.owner.userId });
});
