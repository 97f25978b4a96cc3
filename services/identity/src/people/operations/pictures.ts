import Type from 'typebox';
import type { PeopleDeps } from '../deps.ts';
import { decodeFile, encodePicture } from '../pictures/picture.ts';
import { newPictureKey, pictureBase } from '../pictures/picture-store.ts';

const mebibyte = 1024 * 1024;
export const pictureLimitBytes = 6 * mebibyte;

/** One transparent pixel. */
export const pictureExample = {
  file: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  filename: 'me.png',
  contentType: 'image/png',
} as const;
export const PictureFile = {
  file: Type.String({ minLength: 1, maxLength: pictureLimitBytes, description: 'Base64' }),
  filename: Type.String({ minLength: 1, maxLength: 255 }),
  contentType: Type.Enum(['image/png', 'image/jpeg', 'image/webp', 'image/gif'], { graphqlType: 'String' }),
};
export const Picture = { url: Type.String(), path: Type.String() };

/** Stores the file before a person refers to it. Returns the path of its URL. */
export async function keepPicture({ pictures }: PeopleDeps, userId: string, file: string): Promise<string> {
  const picture = await encodePicture(decodeFile(file));
  const key = newPictureKey(userId);
  await pictures.put(key, picture);
  return pictureBase + key;
}

export function showPicture({ settings }: PeopleDeps, path: string): { url: string; path: string } {
  return { url: settings.appUrl + path, path };
}
