import { destination } from 'pino';

const bufferedBytes = 8 * 1024;
const flushIntervalMs = 200;

export type LineWriter = { readonly write: (line: string) => void; readonly stop: () => void };

/**
 * Writes lines in batches, because one system call for each line of the access log costs too much.
 * `stop` writes the rest.
 */
export function createLineWriter(dest: string | number = 1): LineWriter {
  const output = destination({ dest, sync: false, minLength: bufferedBytes });
  const timer = setInterval(() => output.flush(), flushIntervalMs).unref();
  return {
    write: (line) => void output.write(line),
    stop: () => {
      clearInterval(timer);
      output.flushSync();
    },
  };
}
