/** What an upload becomes: read by its own bytes, decoded, and written anew. Nothing of the original file survives but the picture. */
import sharp, { type Sharp } from 'sharp';
import { errors } from '../errors.ts';

const accepted = new Set(['png', 'jpeg', 'webp', 'gif']);
const sidePixels = 512;
const largestInputPixels = 40_000_000;

const unreadable = () => errors.unreadablePicture({ extensions: { field: 'file' } });

/** WebP of at most 512 × 512; animations stay animated. The name and the type that the client gave decide nothing. */
export async function encodePicture(file: Buffer): Promise<Buffer> {
  const picture = open(file);
  const { format } = await picture.metadata().catch(() => ({ format: undefined }));
  if (format === undefined || !accepted.has(format)) throw unreadable();
  return picture
    .autoOrient()
    .resize({ width: sidePixels, height: sidePixels, fit: 'inside', withoutEnlargement: true })
    .webp({ quality: 85 })
    .toBuffer()
    .catch(() => {
      throw unreadable();
    });
}

function open(file: Buffer): Sharp {
  return sharp(file, { limitInputPixels: largestInputPixels, animated: true, pages: -1, failOn: 'error', unlimited: false });
}

/** Strict base64: what a decoder would skip is refused. */
export function decodeFile(base64: string): Buffer {
  const file = Buffer.from(base64, 'base64');
  if (file.length === 0 || file.toString('base64').replace(/=+$/, '') !== base64.replace(/=+$/, '')) throw unreadable();
  return file;
}
