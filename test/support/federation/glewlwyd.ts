/** Debian's Glewlwyd as an identity provider (OpenID Connect), with a database in a file. */
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { choosePort } from '../../../tools/stack/ports.ts';
import { hasFiles, lacking } from './debian.ts';
import { openFolder, startProgram } from './program.ts';

const schema = '/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3';
export const withoutGlewlwyd = () =>
  lacking('Glewlwyd', () => hasFiles('/usr/bin/glewlwyd', schema, '/usr/bin/sqlite3'), ['glewlwyd', 'glewlwyd-common', 'sqlite3']);

/** The first administrator's, which the package's schema makes. */
const administrator = { username: 'admin', password: 'password' };
const clientSecret = 'a-secret-of-glewlwyd';

export type Account = { readonly username: string; readonly password: string; readonly name: string; readonly email: string };

export async function startGlewlwyd(cleanup: AsyncDisposableStack) {
  const folder = openFolder(cleanup, 'glewlwyd');
  const port = await choosePort(0, '127.0.0.1');
  const url = `http://127.0.0.1:${port}`;
  const database = join(folder, 'database');
  execFileSync('sqlite3', [database], { input: readFileSync(schema) });
  // Debian links jQuery and others into its pages, which Glewlwyd does not serve, and makes a
  // folder of their configuration.
  const pages = join(folder, 'webapp');
  execFileSync('cp', ['-rL', '/usr/share/glewlwyd/webapp', pages]);
  rmSync(join(pages, 'config.json'), { recursive: true });
  copyFileSync('/usr/share/glewlwyd/templates/config.json', join(pages, 'config.json'));
  const configuration = readFileSync('/etc/glewlwyd/glewlwyd.conf', 'utf8')
    .replace(/^port=.*$/m, `port=${port}`)
    .replace(/^external_url=.*$/m, `external_url="${url}"`)
    .replace(/^#? *static_files_path=.*$/m, `static_files_path="${pages}/"`)
    .replace(/^log_file=.*$/m, `log_file="${join(folder, 'glewlwyd.log')}"`)
    .replace(/^@include.*$/m, `database = { type = "sqlite3"; path = "${database}"; };`);
  writeFileSync(join(folder, 'glewlwyd.conf'), configuration);
  const command = ['glewlwyd', `--config-file=${join(folder, 'glewlwyd.conf')}`] as const;
  await startProgram(cleanup, { command, folder, probe: `${url}/config` });

  const signedIn = await fetch(`${url}/api/auth`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(administrator),
  });
  const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  async function post(path: string, body: object): Promise<void> {
    const answer = await fetch(`${url}/api${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`Glewlwyd answers ${path} with ${answer.status}: ${await answer.text()}`);
  }

  const issuer = `${url}/api/oidc`;
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2_048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const parameters = {
    iss: issuer,
    'jwt-type': 'rsa',
    'jwt-key-size': '256',
    key: privateKey,
    cert: publicKey,
    'access-token-duration': 3_600,
    'refresh-token-duration': 3_600,
    'code-duration': 600,
    'refresh-token-rolling': true,
    'allow-non-oidc': false,
    'auth-type-code-enabled': true,
    'auth-type-token-enabled': false,
    'auth-type-id-token-enabled': false,
    'auth-type-none-enabled': false,
    'auth-type-password-enabled': false,
    'auth-type-client-enabled': false,
    'auth-type-refresh-enabled': true,
    'pkce-allowed': true,
    'pkce-method-plain-allowed': false,
    'subject-type': 'public',
    'name-claim': 'on-demand',
    'name-claim-scope': ['profile'],
    'email-claim': 'on-demand',
    'email-claim-scope': ['email'],
  };
  await post('/mod/plugin', { module: 'oidc', name: 'oidc', display_name: 'OpenID Connect', parameters });
  for (const name of ['email', 'profile'])
    await post('/scope', { name, display_name: name, password_required: true, password_max_age: 0, scheme: {}, scheme_required: {} });

  return {
    issuer,
    client: { clientId: 'tessera', clientSecret },
    register: (callbackUrl: string) =>
      post('/client?source=database', {
        client_id: 'tessera',
        name: 'Tessera',
        confidential: true,
        enabled: true,
        password: clientSecret,
        client_secret: clientSecret,
        redirect_uri: [callbackUrl],
        authorization_type: ['code'],
        token_endpoint_auth_method: ['client_secret_basic'],
        scope: [],
      }),
    addPerson: (account: Account) => post('/user?source=database', { ...account, enabled: true, scope: ['openid', 'email', 'profile'] }),
  };
}
