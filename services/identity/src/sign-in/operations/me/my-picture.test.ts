import { afterAll, describe, expect, test } from '@jest/globals';
import { sql } from '@tessera/kernel/postgres';
import sharp from 'sharp';
import { pictureFile, png } from '../../../testing/pictures.ts';
import { registered, startIdentity } from '../../../testing/service.ts';
import { call } from '../../../testing/transports.ts';

const service = await startIdentity();

describe('my picture', () => {
  afterAll(async () => service.stop());

  /** Waits to be removed, or is. */
  const isDiscarded = async (path: string) => {
    const waiting = await service.database.query(sql('SELECT FROM discarded_pictures WHERE path = $1'), [path]);
    return waiting.length === 1 || (await service.ask('GET', path)).status === 404;
  };

  for (const transport of ['rest', 'graphql'] as const)
    test(`a picture over ${transport} is decoded, made small and stripped; its address serves it`, async () => {
      const { accessToken: token, userId } = await registered(service);
      const secretive = await sharp(await png())
        .withExif({ IFD0: { Copyright: 'my secret place' } })
        .jpeg()
        .toBuffer();
      const kept = await call(service, transport, 'uploadMyPicture', pictureFile(secretive, 'image/png'), { token });
      expect(kept.code).toStrictEqualFor(kept, 'ok');
      const me = await call(service, 'rest', 'getMe', {}, { token });
      expect(me.data.user.pictureUrl).toBe(kept.data.url);
      expect(kept.data.url).toBe(`http://tessera.test${kept.data.path}`);
      const served = await service.ask('GET', kept.data.path);
      expect([served.status, served.headers['content-type'], served.headers['x-content-type-options']]).toStrictEqual([
        200,
        'image/webp',
        'nosniff',
      ]);
      expect(served.headers['content-security-policy']).toBe("default-src 'none'; sandbox");
      for (const elsewhere of ['..%2foutbox', '%2e%2e%2foutbox', `${kept.data.path.slice('/pictures/'.length)}%2f..`])
        expect((await service.ask('GET', `/pictures/${elsewhere}`)).status).toBe(404);
      expect(String(served.body)).not.toContain('my secret place');
      const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>');
      for (const bad of [svg, Buffer.from('GIF89a but no picture'), Buffer.from('<html>'), (await png()).subarray(0, 200)]) {
        const refused = await call(service, transport, 'uploadMyPicture', pictureFile(bad), { token });
        expect([refused.code, refused.field]).toStrictEqual(['VALIDATION_ERROR', 'file']);
      }
      const noBase64 = await call(service, transport, 'uploadMyPicture', { ...pictureFile(secretive), file: '%%%%' }, { token });
      expect(noBase64.field).toBe('file');
      expect((await call(service, transport, 'uploadMyPicture', pictureFile(secretive, 'image/svg+xml'), { token })).field).toBe(
        'contentType',
      );
      const again = await call(service, transport, 'uploadMyPicture', pictureFile(await png()), { token });
      expect([await isDiscarded(kept.data.path), await isDiscarded(again.data.path)]).toStrictEqual([true, false]);
      await service.deliver('accounts.closed', { userId, hard: true });
      expect(await isDiscarded(again.data.path)).toBe(true);
    });

  test('of several pictures at once one stays, and the others go', async () => {
    const { accessToken: token } = await registered(service);
    const file = pictureFile(await png());
    const kept = await Promise.all(Array.from({ length: 5 }, () => call(service, 'rest', 'uploadMyPicture', file, { token })));
    const { pictureUrl } = (await call(service, 'rest', 'getMe', {}, { token })).data.user;
    for (const { data } of kept) expect(await isDiscarded(data.path)).toBe(data.url !== pictureUrl);
  });
});
