import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import sharp from 'sharp';
import { decodeFile, encodePicture } from './picture.ts';
import { createS3PictureStore, isPictureKey, newPictureKey } from './picture-store.ts';

function plain(width: number, height: number) {
  return sharp({ create: { width, height, channels: 3, background: '#336699' } });
}
const refused = { name: 'AppError', extensions: expect.objectContaining({ field: 'file' }) };

test('png, jpeg, webp and gif are read; what no reader of them takes is refused, and no other reader is asked', async () => {
  for (const format of ['png', 'jpeg', 'webp', 'gif'] as const) {
    const { format: written } = await sharp(await encodePicture(await plain(9, 9)[format]().toBuffer())).metadata();
    expect(written).toBe('webp');
  }
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
  const tiff = await plain(9, 9).tiff().toBuffer();
  for (const other of [svg, tiff, Buffer.from('<html>'), Buffer.from('GIF89a')]) {
    await expect(encodePicture(other)).rejects.toMatchObject(refused);
    await expect(sharp(other).metadata()).rejects.toThrow(/unsupported image format|corrupt header|gifload/);
  }
});

test('at most 512 pixels a side, never enlarged', async () => {
  const sizeOf = async (width: number, height: number) => {
    const written = await sharp(await encodePicture(await plain(width, height).png().toBuffer())).metadata();
    return [written.width, written.height];
  };
  expect(await sizeOf(2_048, 1_024)).toStrictEqual([512, 256]);
  expect(await sizeOf(20, 10)).toStrictEqual([20, 10]);
});

test('a small file that decodes into too many pixels is refused', async () => {
  const bomb = await plain(7_000, 6_000).png().toBuffer();
  expect(bomb.length).toBeLessThan(1_000_000);
  await expect(encodePicture(bomb)).rejects.toMatchObject(refused);
});

test('what a camera or a prankster put into the file does not come along; the picture stands upright', async () => {
  const photo = await plain(20, 10)
    .withExif({ IFD0: { Copyright: 'my secret place' } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer();
  const { width, height, exif, orientation } = await sharp(await encodePicture(photo)).metadata();
  expect([width, height, exif, orientation]).toStrictEqual([10, 20, undefined, undefined]);
  const polyglot = Buffer.concat([await plain(9, 9).png().toBuffer(), Buffer.from('<script>alert(1)</script>')]);
  for (const file of [photo, polyglot]) expect((await encodePicture(file)).toString('latin1')).not.toMatch(/my secret place|script/);
});

test('an animation stays one', async () => {
  const frames = [await plain(8, 8).png().toBuffer(), await plain(8, 8).negate().png().toBuffer()];
  const animation = await sharp(frames, { join: { animated: true } })
    .gif()
    .toBuffer();
  expect((await sharp(await encodePicture(animation), { animated: true }).metadata()).pages).toBe(2);
});

test('base64 is read strictly', () => {
  const base64 = Buffer.from('a picture').toString('base64');
  expect(decodeFile(base64).toString()).toBe('a picture');
  for (const odd of ['', '%%%%', `${base64.slice(0, 4)}\n${base64.slice(4)}`, `data:image/png;base64,${base64}`, `${base64}=x`])
    expect(() => decodeFile(odd)).toThrow(expect.objectContaining(refused));
});

test('only what a picture is called leads to a file', () => {
  const key = newPictureKey('01a1fd61-f7f5-73a6-a8a1-9702fabc0a19');
  expect(isPictureKey(key)).toBe(true);
  for (const odd of [`../${key}`, `${key}/..`, `${key}.part`, key.toUpperCase(), key.replace('/', '//'), '..', '', `${key}\n`, `x${key}`])
    expect(!isPictureKey(odd)).toStrictEqualFor(odd, true);
});

test('a store that hangs is not waited for', async () => {
  await using cleanup = new AsyncDisposableStack();
  const hanging = createServer(() => undefined);
  cleanup.defer(() => hanging.close().closeAllConnections());
  await once(hanging.listen(0, '127.0.0.1'), 'listening');
  [process.env.AWS_ACCESS_KEY_ID, process.env.AWS_SECRET_ACCESS_KEY] = ['none', 'none'];
  const endpoint = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}`;
  const store = createS3PictureStore({ bucket: 'b', region: 'us-east-1', forcePathStyle: true, endpoint });
  await expect(store.remove('x')).rejects.toMatchObject({ name: 'TimeoutError' });
});
