/** A target of webhooks, and what delivers to it. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createDeliverer, type DelivererOptions } from '../webhooks/deliverer.ts';
import { createSender } from '../webhooks/sender.ts';
import { silentLogger } from './peer-events.ts';
import type { TestService } from './service.ts';

export type Received = {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly message: { readonly type: string; readonly timestamp: string; readonly data: Readonly<Record<string, unknown>> };
};

/** `hang` never answers, `endless` answers 200 with a body that never ends. */
export type Behaviour = number | 'hang' | 'endless';

/** Answers 204 unless `behaviours` says otherwise for the path. */
export async function openReceiver(cleanup: AsyncDisposableStack) {
  const received: Received[] = [];
  const behaviours = new Map<string, Behaviour | ((count: number) => Behaviour)>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url ?? '';
      const body = Buffer.concat(chunks).toString();
      received.push({ path, headers: request.headers, body, message: JSON.parse(body) });
      const given = behaviours.get(path) ?? 204;
      const behaviour = typeof given === 'function' ? given(at(path).length) : given;
      if (behaviour === 'hang') return;
      if (behaviour === 'endless') return void response.writeHead(200).write('x'.repeat(100_000));
      response.writeHead(behaviour, behaviour >= 300 && behaviour < 400 ? { location: '/redirected' } : {}).end();
    });
  });
  const at = (path: string) => received.filter((one) => one.path === path);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.defer(async () => void server.close().closeAllConnections());
  return { received, behaviours, at, url: (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}` };
}

/** A replica's deliverer, with short waits. */
export function openDeliverer(service: TestService, cleanup: AsyncDisposableStack, options: Partial<DelivererOptions> = {}) {
  const deliverer = createDeliverer({
    db: service.database,
    secrets: service.deps.webhooks.secrets,
    relay: service.relay,
    logger: silentLogger,
    vouching: service.vouching,
    clock: () => new Date(),
    pollMs: 50,
    tellOwners: async () => [],
    sender: createSender({ allowPrivate: true, timeoutMs: 2_000 }),
    ...options,
  });
  service.deliverers.add(deliverer);
  deliverer.start();
  cleanup.defer(async () => {
    service.deliverers.delete(deliverer);
    await deliverer.stop();
  });
  return deliverer;
}

/** Lets time pass for what waits, without waiting. */
export async function passHours(service: TestService, hours: number): Promise<void> {
  const back = `- interval '${hours} hours'`;
  // The webhooks first: a due delivery is sent at once, and must find how long its target fails.
  await service.query(`UPDATE webhooks SET failing_since = failing_since ${back}, older_until = older_until ${back}`);
  await service.query(`UPDATE webhook_deliveries SET begun_at = begun_at ${back}, next_attempt_at = next_attempt_at ${back}`);
  for (const deliverer of service.deliverers) deliverer.wake();
}
