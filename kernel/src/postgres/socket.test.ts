import { once } from 'node:events';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { newId } from '../ids/index.ts';
import { GatheringSocket } from './socket.ts';

test('what is written in one turn waits for its end, in order, and goes out together', async () => {
  const path = join(tmpdir(), `${newId()}.sock`);
  const server = createServer((connection) => connection.pipe(connection)).listen(path);
  await once(server, 'listening');
  const socket = new GatheringSocket();
  socket.connect(path);
  await once(socket, 'connect');
  for (const texts of [
    ['begin', 'query', 'commit'],
    ['begin again', 'commit'],
  ]) {
    for (const text of texts) socket.write(text);
    queueMicrotask(() => socket.write('!'));
    expect(socket.writableCorked).toBe(1);
    expect(socket.writableLength).toBe(texts.join('').length);
    const [echoed] = await once(socket, 'data');
    expect(socket.writableCorked).toBe(0);
    expect(String(echoed)).toBe(`${texts.join('')}!`);
  }
  socket.destroy();
  server.close();
});
