/** Apache with mod_auth_openidc in front of some pages. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { skip } from '../../../support/browser/browser.ts';
import type { AppCredentials } from '../../../support/browser/product.ts';
import { until } from '../../../support/until.ts';
import { stopWith } from './start.ts';

const modules = '/usr/lib/apache2/modules';
export const noApache =
  skip || (!existsSync(`${modules}/mod_auth_openidc.so`) && 'NOT RUN with Apache: no libapache2-mod-auth-openidc here');

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

type Site = AppCredentials & {
  readonly port: number;
  /** Organizations by the folder that is for their people alone. */
  readonly places: Readonly<Record<string, string>>;
};

/** Who comes for another organization is sent to the provider again, for this one. */
function placeConfig([name, organizationId]: readonly [string, string]): string {
  return `<Location /${name}>
  AuthType openid-connect
  Require claim org_id:${organizationId}
  OIDCUnAutzAction auth
  OIDCPathAuthRequestParams organization=${organizationId}
</Location>
`;
}

function apacheConfig({ folder, port, issuer, clientId, clientSecret, places }: Site & { readonly folder: string }): string {
  const loaded = ['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'headers', 'dir', 'auth_openidc'];
  return `
ServerRoot "${folder}"
ServerName 127.0.0.1
Listen 127.0.0.1:${port}
PidFile "${folder}/pid"
ErrorLog "${folder}/error.log"
DefaultRuntimeDir "${folder}"
User www-data
Group www-data
${loaded.map((name) => `LoadModule ${name}_module ${modules}/mod_${name}.so`).join('\n')}
DocumentRoot "${folder}/site"
DirectoryIndex index.html
OIDCProviderMetadataURL ${issuer}/.well-known/openid-configuration
OIDCClientID ${clientId}
OIDCClientSecret ${clientSecret}
OIDCRedirectURI http://127.0.0.1:${port}/cb
OIDCCryptoPassphrase ${clientId}
OIDCScope "openid email profile"
OIDCPKCEMethod S256
OIDCRemoteUserClaim email
<Location />
  AuthType openid-connect
  Require valid-user
  Header always set x-user "%{OIDC_CLAIM_email}e"
  Header always set x-organization "%{OIDC_CLAIM_org_id}e"
</Location>
${Object.entries(places).map(placeConfig).join('')}<Location /bye>
  AuthType None
  Require all granted
</Location>
`;
}

/** Says 'In Apache' at `/` and 'Signed out' at `/bye/`; the page of a place has its name. */
export async function startApache(cleanup: AsyncDisposableStack, site: Site): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tessera-apache-'));
  cleanup.defer(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o755);
  const places = Object.keys(site.places).map((name): [string, string] => [`site/${name}`, `In ${name}`]);
  for (const [path, title] of [['site', 'In Apache'], ['site/bye', 'Signed out'], ...places] as const) {
    await mkdir(join(folder, path));
    await writeFile(join(folder, path, 'index.html'), `<!doctype html><title>${title}</title><h1>${title}</h1>`);
  }
  await writeFile(join(folder, 'apache.conf'), apacheConfig({ ...site, folder }));
  stopWith(cleanup, spawn('/usr/sbin/apache2', ['-X', '-f', join(folder, 'apache.conf')], { stdio: ['ignore', 'pipe', 'inherit'] }));
  await until(async () =>
    fetch(`http://127.0.0.1:${site.port}/bye/`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
}
