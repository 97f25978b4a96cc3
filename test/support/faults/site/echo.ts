/** A client of NATS that sends every message a second time, later and in another order. */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Read by hand, because a library would hide what the server sends. */
const message = /^MSG (\S+) \S+ (?:\S+ )?(\d+)\r\n/;

export async function repeatNotices(port: number, withinMs: number): Promise<AsyncDisposable & { readonly repeated: number }> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.on('error', () => undefined);
  socket.write('CONNECT {"verbose":false,"echo":false}\r\nSUB > 1\r\n');
  let waiting = Buffer.alloc(0);
  let repeated = 0;
  const later: Promise<void>[] = [];
  const repeat = async (subject: string, body: Buffer) => {
    await sleep(randomInt(withinMs));
    socket.write(Buffer.concat([Buffer.from(`PUB ${subject} ${body.length}\r\n`), body, Buffer.from('\r\n')]));
  };
  socket.on('data', (portion) => {
    waiting = Buffer.concat([waiting, portion]);
    for (;;) {
      const text = waiting.toString('latin1');
      const found = message.exec(text);
      const lineEnd = text.indexOf('\r\n') + 2;
      if (lineEnd === 1) return;
      if (text.startsWith('PING')) socket.write('PONG\r\n');
      if (found === null) {
        waiting = waiting.subarray(lineEnd);
        continue;
      }
      const [head, subject = '', length = '0'] = found;
      const end = head.length + Number(length);
      if (waiting.length < end + 2) return;
      repeated += 1;
      later.push(repeat(subject, waiting.subarray(head.length, end)));
      waiting = waiting.subarray(end + 2);
    }
  });
  return {
    get repeated() {
      return repeated;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(later);
      socket.end();
    },
  };
}
