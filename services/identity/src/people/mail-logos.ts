import { LRUCache } from 'lru-cache';
import { encodeForMail } from './pictures/picture.ts';
import { keyOfPath, type PictureStore } from './pictures/picture-store.ts';

/** The logo of a branding as it goes along with a mail, by the path of its picture. */
export type MailLogos = (path: string) => Promise<Buffer | undefined>;

/** A path never changes its picture. A logo that cannot be read is left out: the mail goes out. */
export function createMailLogos(pictures: Pick<PictureStore, 'get'>): MailLogos {
  const kept = new LRUCache<string, Buffer>({ max: 100 });
  return async (path) => {
    const known = kept.get(path);
    if (known !== undefined) return known;
    const picture = await pictures.get(keyOfPath(path)).catch(() => undefined);
    const logo = picture && (await encodeForMail(picture).catch(() => undefined));
    if (logo !== undefined) kept.set(path, logo);
    return logo;
  };
}
