import type { Environment } from '../stack/environment.ts';
import { natsVersion, startNats } from '../stack/nats.ts';

export interface NoticeCarrier {
  /** For the report: what carries notices between the services. */
  readonly carrier: string;
  /** Variables for the services. */
  readonly env: Environment;
  stop(): Promise<void>;
}

/**
 * NATS_URL as given; else a nats-server of this stack, where one is installed; else Postgres. An
 * empty NATS_URL means Postgres.
 */
export async function openNotices(environment: Environment, say: (line: string) => void): Promise<NoticeCarrier> {
  const nothing = { env: {}, stop: async () => undefined };
  const { NATS_URL: given } = environment;
  if (given !== undefined && given !== '') return { ...nothing, carrier: 'NATS, by NATS_URL' };
  const version = given === undefined ? natsVersion() : undefined;
  if (version === undefined) return { ...nothing, carrier: 'Postgres (NATS where nats-server is installed or NATS_URL is set)' };
  const { url, port, stop } = await startNats({ died: () => say('nats-server ended; it starts again') });
  return { carrier: `NATS (nats-server ${version} on 127.0.0.1:${port})`, env: { NATS_URL: url }, stop };
}
