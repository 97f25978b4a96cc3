import { connect as connectTcp } from 'node:net';
import { createNotices } from '@tessera/kernel/notices';
import { openRedis, type RedisSettings } from '@tessera/kernel/redis';
import { clockFinding } from '../../packages/cli/src/doctor/clock.ts';
import { about, type Finding, reasonOf, within } from '../../packages/cli/src/doctor/finding.ts';

export async function checkRedis(settings: RedisSettings, timeoutMs: number): Promise<Finding[]> {
  const { ok, error } = about('redis', 'redis');
  const failed = Promise.withResolvers<never>();
  const redis = openRedis(settings, { timeoutMs, once: true });
  redis.on('error', (thrown) => failed.reject(thrown));
  try {
    // The first error says why; what `connect` throws says only that the connection is closed.
    await Promise.race([redis.connect().catch(() => failed.promise), failed.promise]);
    const askedMs = Date.now();
    const [seconds = 0, micros = 0] = (await redis.time()).map(Number);
    const reading = { atMs: seconds * 1_000 + micros / 1_000, askedMs, answeredMs: Date.now(), resolutionMs: 1 };
    return [ok('answers'), clockFinding('redis', reading)];
  } catch (thrown) {
    return [error(`cannot be used: ${reasonOf(thrown)}`)];
  } finally {
    redis.disconnect();
  }
}

type NatsSettings = Parameters<typeof createNotices>[0]['nats'];

/** By the services' own adapter, which reads credentials and certificates as they do. */
export async function checkNats(nats: NatsSettings, secret: string, timeoutMs: number): Promise<Finding[]> {
  const { ok, error } = about('nats', 'nats');
  let reason = `no connection within ${timeoutMs / 1_000} s`;
  const note = (details: object) => {
    if ('err' in details) reason = reasonOf(details.err);
  };
  try {
    const notices = createNotices({ nats, secret, logger: { warn: note, error: note } });
    const deadline = Date.now() + timeoutMs;
    while (!notices.healthy && Date.now() < deadline) await new Promise((done) => setTimeout(done, 25));
    const isHealthy = notices.healthy;
    await within(timeoutMs, notices.close());
    return [isHealthy ? ok('answers') : error(`cannot be used: ${reason}`)];
  } catch (thrown) {
    return [error(`cannot be used: ${reasonOf(thrown)}`)];
  }
}

/** Whether the address of a URL can be reached at all. */
export async function checkAddress(
  check: string,
  subject: string,
  url: string,
  defaultPort: number,
  timeoutMs: number,
): Promise<Finding[]> {
  const { ok, error } = about(check, subject);
  const { hostname, port } = new URL(url);
  const socket = connectTcp({ host: hostname.replaceAll(/[[\]]/g, ''), port: Number(port || defaultPort) });
  try {
    await within(timeoutMs, new Promise<void>((connected, refused) => socket.once('connect', connected).once('error', refused)));
    return [ok('can be reached')];
  } catch (thrown) {
    return [error(`cannot be reached: ${reasonOf(thrown)}`)];
  } finally {
    socket.destroy();
  }
}
