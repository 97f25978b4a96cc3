import Type from 'typebox';
import type { PeopleDeps } from '../deps.ts';
import { decodeFile, encodePicture } from '../pictures/picture.ts';
import { keyOfPath, newPictureKey, pictureBase } from '../pictures/picture-store.ts';

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

/** Stores the file before a person or a branding refers to it. Returns the path of its URL. */
export async function keepPicture(
  { pictures }: PeopleDeps,
  ownerId: string,
  file: string,
  options = { isAnimated: true },
): Promise<string> {
  const picture = await encodePicture(decodeFile(file), options);
  const key = newPictureKey(ownerId);
  await pictures.put(key, picture);
  return pictureBase + key;
}

/** The picture that was kept for a change goes with it when a check refuses the change. */
export async function orDropPicture({ pictures }: PeopleDeps, path: string | null | undefined, check: () => Promise<void>): Promise<void> {
  try {
    await check();
  } catch (error) {
    if (path != null) await pictures.remove(keyOfPath(path));
    throw error;
  }
}

export function showPicture({ settings }: Pick<PeopleDeps, 'settings'>, path: string): { url: string; path: string } {
  return { url: settings.appUrl + path, path };
}
