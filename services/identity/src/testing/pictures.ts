/** Pictures to upload. */
import sharp from 'sharp';

export function png() {
  return sharp({ create: { width: 900, height: 600, channels: 3, background: '#336699' } })
    .png()
    .toBuffer();
}

export function pngOf(svg: string) {
  return sharp(Buffer.from(svg)).png().toBuffer();
}

export function pictureFile(file: Buffer, contentType = 'image/png') {
  return {
    file: file.toString('base64'),
    filename: 'me.png',
    contentType,
  };
}
