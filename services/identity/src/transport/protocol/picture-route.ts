/** Picture files. Public, at a URL that cannot be guessed and never changes its content. */
import { failures } from '@tessera/kernel/errors';
import type { FastifyInstance } from 'fastify';
import { isPictureKey, type PictureStore, pictureBase } from '../../people/pictures/picture-store.ts';

const headers = {
  'content-type': 'image/webp',
  'cache-control': 'public, max-age=31536000, immutable',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
};

export function servePictures(app: FastifyInstance, pictures: PictureStore): void {
  app.get<{ Params: { '*': string } }>(`${pictureBase}*`, async (request, reply) => {
    const key = request.params['*'];
    const picture = isPictureKey(key) ? await pictures.get(key) : undefined;
    if (picture === undefined) throw failures.notFound('Picture');
    return reply.headers(headers).send(picture);
  });
}
