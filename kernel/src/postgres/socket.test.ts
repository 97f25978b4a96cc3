import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
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
    assert.equal(socket.writableCorked, 1);
    assert.equal(socket.writableLength, texts.join('').length);
    const [echoed] = await once(socket, 'data');
    assert.equal(socket.writableCorked, 0);
    assert.equal(String(echoed), `${texts.join('')}!`);
  }
  socket.destroy();
  server.close();
});
