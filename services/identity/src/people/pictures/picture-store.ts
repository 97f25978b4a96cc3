/** Where pictures lie: a local folder or an S3-compatible store, behind one small door. */
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DeleteObjectCommand, GetObjectCommand, NoSuchKey, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';

export type PictureStore = {
  /** Keeps a picture; the same again is the same. */
  put(key: string, picture: Buffer): Promise<void>;
  /** Undefined when there is none. */
  get(key: string): Promise<Buffer | undefined>;
  remove(key: string): Promise<void>;
};

export const pictureBase = '/pictures/';
const keyShape = /^[0-9a-f-]{36}\/[0-9a-f]{32}\.webp$/;

/**
 * Every upload gets a new key that cannot be guessed, so that a picture may be cached without end
 * and deleted at any time.
 */
export function newPictureKey(ownerId: string): string {
  return `${ownerId}/${randomBytes(16).toString('hex')}.webp`;
}

export function isPictureKey(key: string): boolean {
  return keyShape.test(key);
}

export function keyOfPath(path: string): string {
  return path.slice(pictureBase.length);
}

export function createLocalPictureStore(folder: string): PictureStore {
  return {
    async put(key, picture) {
      const file = join(folder, key);
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await writeFile(`${file}.part`, picture, { mode: 0o600 });
      await rename(`${file}.part`, file);
    },
    get: (key) =>
      readFile(join(folder, key)).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined;
        throw error;
      }),
    remove: (key) => rm(join(folder, key), { force: true }),
  };
}

export type S3Options = { readonly bucket: string; readonly endpoint?: string; readonly region: string; readonly forcePathStyle: boolean };

export function createS3PictureStore({ bucket, ...options }: S3Options): PictureStore {
  // Without these timeouts the client waits without end, and so does the request.
  const s3 = new S3Client({ ...options, maxAttempts: 2, requestHandler: { connectionTimeout: 2_000, socketTimeout: 4_000 } });
  return {
    async put(key, picture) {
      await s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: picture, ContentType: 'image/webp' }));
    },
    async get(key) {
      try {
        const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
        return Body === undefined ? undefined : Buffer.from(await Body.transformToByteArray());
      } catch (error) {
        if (error instanceof NoSuchKey) return undefined;
        throw error;
      }
    },
    async remove(key) {
      await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }));
    },
  };
}
