import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The `skip` option of a test that needs a certificate. */
export const withoutOpenssl =
  spawnSync('openssl', ['version'], { stdio: 'ignore' }).status !== 0 && 'NOT RUN over TLS: no openssl to make a certificate';

/** The files of a self-signed certificate for `localhost`. */
export function makeCertificate(cleanup: AsyncDisposableStack): { readonly cert: string; readonly key: string } {
  const folder = mkdtempSync(join(tmpdir(), 'gw-tls-'));
  cleanup.defer(() => rmSync(folder, { recursive: true }));
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const forLocalhost = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', ...forLocalhost, '-keyout', key, '-out', cert], {
    stdio: 'ignore',
  });
  return { cert, key };
}
