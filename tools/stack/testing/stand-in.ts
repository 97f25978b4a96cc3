import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { services } from '../../services.ts';

/** A service that is ready at once; `GET /` returns its process id and environment. */
const main = `
import { createServer } from 'node:http';
const server = createServer((request, response) => response.end(JSON.stringify({ pid: process.pid, env: process.env })));
const listen = process.env.HTTP_LISTEN;
listen?.startsWith('unix:') ? server.listen(listen.slice(5)) : server.listen(Number(process.env.PORT), process.env.HOST);
process.on('SIGTERM', () => process.exit(0));
`;

/** A folder of stand-ins for `services/`, for the launcher's own tests. */
export function standInServices(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-test-'));
  for (const service of services) {
    const source = join(folder, service, 'src');
    mkdirSync(source, { recursive: true });
    writeFileSync(join(source, 'main.ts'), main);
    writeFileSync(join(source, 'migrate.ts'), '');
  }
  return folder;
}
