/**
 * What an upload becomes: read by its own bytes, decoded, and written anew. Nothing of the original
 * file survives but the picture.
 */
import sharp, { type Sharp } from 'sharp';
import { errors } from '../errors.ts';

// Whatever the client calls its file: these readers are asked, and no other reader ever sees the
// bytes of a stranger.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['VipsForeignLoadPng', 'VipsForeignLoadJpeg', 'VipsForeignLoadWebp', 'VipsForeignLoadNsgif'] });

const sidePixels = 512;
const largestInputPixels = 40_000_000;

function unreadable() {
  return errors.unreadablePicture({ extensions: { field: 'file' } });
}

/**
 * WebP of at most 512 × 512; animations stay animated, unless they must not. The name and the type
 * that the client gave decide nothing.
 */
export async function encodePicture(file: Buffer, { isAnimated = true } = {}): Promise<Buffer> {
  return open(file, isAnimated)
    .autoOrient()
    .resize({ width: sidePixels, height: sidePixels, fit: 'inside', withoutEnlargement: true })
    .webp({ quality: 85 })
    .toBuffer()
    .catch(() => {
      throw unreadable();
    });
}

/** Small enough to go along with a mail; PNG, because not every mail program shows WebP. */
export async function encodeForMail(picture: Buffer): Promise<Buffer> {
  return open(picture, false).resize({ width: 240, height: 80, fit: 'inside', withoutEnlargement: true }).png({ palette: true }).toBuffer();
}

function open(file: Buffer, isAnimated: boolean): Sharp {
  const frames = isAnimated ? { animated: true, pages: -1 } : {};
  return sharp(file, { ...frames, limitInputPixels: largestInputPixels, failOn: 'error', unlimited: false });
}

/** Strict base64: what a decoder would skip is refused. */
export function decodeFile(base64: string): Buffer {
  const file = Buffer.from(base64, 'base64');
  if (file.length === 0 || file.toString('base64').replace(/=+$/, '') !== base64.replace(/=+$/, '')) throw unreadable();
  return file;
}
