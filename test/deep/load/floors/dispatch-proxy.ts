/** The floor under the gateway: undici dispatch in front of TARGET, streaming, nothing else. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';

const target = process.env.TARGET ?? '';
const isSocket = target.startsWith('unix:');
const pool = new Pool(isSocket ? 'http://localhost' : target, { connections: 128, ...(isSocket ? { socketPath: target.slice(5) } : {}) });
const extra = JSON.parse(process.env.EXTRA_HEADERS ?? '{}');

const server = createServer((request, response) => {
  const { connection: _, ...headers } = request.headers;
  pool.dispatch(
    {
      method: request.method ?? 'GET',
      path: request.url ?? '/',
      headers: { ...headers, ...extra },
      body: request.method === 'GET' ? null : request,
    },
    {
      onRequestStart: () => undefined,
      onResponseStart: (_controller, status, answered) => void response.writeHead(status, answered),
      onResponseData: (_controller, chunk) => void response.write(chunk),
      onResponseEnd: () => void response.end(),
      onResponseError: () => void response.writeHead(502).end(),
    },
  );
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
process.on('SIGTERM', () => process.exit(0));
