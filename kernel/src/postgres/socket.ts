import { Socket } from 'node:net';

type Written = (error?: Error | null) => void;

/**
 * What one turn of the event loop has to say to Postgres goes out as one write: a transaction's beginning together with its first
 * queries. Each write costs a system call here, and there a wake-up of the process behind the connection.
 */
export class GatheringSocket extends Socket {
  #isGathering = false;

  constructor() {
    super();
    // Socket.connect() gives the instance a `write` of its own, which would hide the one below.
    this.once('connect', () => Reflect.deleteProperty(this, 'write'));
  }

  override write(chunk: string | Uint8Array, encodingOrWritten?: BufferEncoding | Written, written?: Written): boolean {
    if (!this.#isGathering) {
      this.#isGathering = true;
      this.cork();
      process.nextTick(() => {
        this.#isGathering = false;
        this.uncork();
      });
    }
    return typeof encodingOrWritten === 'string' ? super.write(chunk, encodingOrWritten, written) : super.write(chunk, encodingOrWritten);
  }
}
