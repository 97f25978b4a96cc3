import { ConfigError } from '@tessera/kernel/config';
import type { Logger } from '@tessera/kernel/telemetry';
import { lingerOnClose } from './drain.ts';

export type Running = { stop(): Promise<void> };

const LONGEST_STOP_MS = 12_000;

/** Starts, logs `ready`, stops on SIGTERM or SIGINT. A failed start exits with 1. */
export async function runProcess(start: () => Promise<Running>, logger: Pick<Logger, 'info' | 'fatal'>): Promise<void> {
  const startedAt = performance.now();
  let running: Running | undefined;
  let isStopping = false;
  const stop = async (code: number): Promise<void> => {
    if (isStopping) return;
    isStopping = true;
    // Tests stop hundreds of processes, whose clients are theirs.
    if (process.env['NODE_ENV'] !== 'test') lingerOnClose();
    setTimeout(() => process.exit(code || 1), LONGEST_STOP_MS).unref();
    try {
      await running?.stop();
      logger.info({}, 'stopped');
    } catch (error) {
      logger.fatal({ err: error }, 'stopping failed');
      process.exit(1);
    }
    process.exit(code);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(0));
  const die = (error: unknown, message: string): void => {
    logger.fatal({ err: error }, message);
    void stop(1);
  };
  process.on('uncaughtException', (error) => die(error, 'uncaught exception'));
  process.on('unhandledRejection', (error) => die(error, 'unhandled rejection'));
  try {
    running = await start();
    logger.info({ startedInMs: Math.round(performance.now() - startedAt) }, 'ready');
  } catch (error) {
    if (error instanceof ConfigError) process.stderr.write(`${error.message}\n`);
    else logger.fatal({ err: error }, 'could not start');
    process.exit(1);
  }
}
