import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import sharp from 'sharp';
import { pictureFile, png } from './pictures.ts';
import { registered, startIdentity, type TestService } from './service.ts';
import { call } from './transports.ts';

describe('my picture', () => {
  let service: TestService;
  before(async () => {
    service = await startIdentity();
  });
  after(async () => service.stop());

  for (const transport of ['rest', 'graphql'] as const) {
    test(`a picture over ${transport} is decoded, made small and stripped; its address serves it`, async () => {
      const { accessToken: token } = await registered(service);
      const secretive = await sharp(await png())
        .withExif({ IFD0: { Copyright: 'my secret place' } })
        .jpeg()
        .toBuffer();
      const kept = await call(service, transport, 'uploadMyPicture', pictureFile(secretive, 'image/png'), { token });
      assert.equal(kept.code, 'ok', JSON.stringify(kept));
      const me = await call(service, 'rest', 'getMe', {}, { token });
      assert.equal(me.data.user.pictureUrl, kept.data.url);
      assert.equal(kept.data.url, `http://tessera.test${kept.data.path}`);
      const served = await service.ask('GET', kept.data.path);
      assert.deepEqual(
        [served.status, served.headers['content-type'], served.headers['x-content-type-options']],
        [200, 'image/webp', 'nosniff'],
      );
      assert.ok(!String(served.body).includes('my secret place'));
      const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>');
      for (const bad of [svg, Buffer.from('GIF89a but no picture'), Buffer.from('<html>'), (await png()).subarray(0, 200)]) {
        const refused = await call(service, transport, 'uploadMyPicture', pictureFile(bad), { token });
        assert.deepEqual([refused.code, refused.field], ['VALIDATION_ERROR', 'file']);
      }
      const noBase64 = await call(service, transport, 'uploadMyPicture', { ...pictureFile(secretive), file: '%%%%' }, { token });
      assert.equal(noBase64.field, 'file');
      assert.equal(
        (await call(service, transport, 'uploadMyPicture', pictureFile(secretive, 'image/svg+xml'), { token })).field,
        'contentType',
      );
    });
  }
});
