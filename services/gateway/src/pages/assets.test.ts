import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants, gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import Fastify from 'fastify';
import { serveAsset, text } from './assets.ts';
import { installWeb } from './web.ts';

const script = Array.from({ length: 500 }, (_, index) => `export const value${index} = ${index * 7919};`).join('\n');

test('a built file goes out in the bytes that the build compressed, and plain to a client without brotli', async () => {
  await using cleanup = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'pages-'));
  cleanup.defer(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'assets'));
  const built = brotliCompressSync(script, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } });
  for (const name of ['pages.html', 'console.html', 'assets/app-1.js']) {
    writeFileSync(join(folder, name), script);
    writeFileSync(join(folder, `${name}.br`), built);
  }
  const app = Fastify();
  installWeb(app, folder);
  cleanup.defer(() => app.close());
  for (const url of ['/auth/login', '/console', '/assets/app-1.js']) {
    const compressed = await app.inject({ url, headers: { 'accept-encoding': 'gzip, br' } });
    expect(compressed.headers['content-encoding']).toBe('br');
    expect(compressed.rawPayload.equals(built)).toBe(true);
    const plain = await app.inject({ url });
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.body).toBe(script);
    expect(plain.headers['etag']).not.toBe(compressed.headers['etag']);
  }
  expect((await app.inject({ url: '/assets/app-1.js.br' })).statusCode).toBe(404);
});

test('a file that no build compressed is smaller in brotli than in gzip', async () => {
  const app = Fastify();
  app.get('/file', serveAsset(text(script, 'text/javascript')));
  const { rawPayload } = await app.inject({ url: '/file', headers: { 'accept-encoding': 'br' } });
  expect(brotliDecompressSync(rawPayload).toString()).toBe(script);
  expect(rawPayload.length).toBeLessThan(gzipSync(script).length);
  await app.close();
});
