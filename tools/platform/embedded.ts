import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { postgresAccount } from '../postgres/account.ts';
import { loginUrl } from '../postgres/bootstrap.ts';
import { reachableFolder } from '../postgres/folder.ts';
import type { Secrets } from '../stack/secrets.ts';

/** identity's database of a running `npm start`: its server wrote down where it listens. */
export function embeddedUrl(dataDir: string): string {
  const folder = reachableFolder(join(dataDir, 'postgres'), postgresAccount());
  const [, , , port = '', sockets = ''] = readFileSync(join(folder, 'data', 'postmaster.pid'), 'utf8').split('\n');
  const { databasePasswords }: Secrets = JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8'));
  const server = `postgres://localhost/tessera?host=${encodeURIComponent(sockets.trim())}&port=${port.trim()}`;
  return loginUrl(server, 'tessera', 'identity', databasePasswords.identity);
}
