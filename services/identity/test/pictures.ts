/** Pictures to upload. */
import sharp from 'sharp';

export const png = () =>
  sharp({ create: { width: 900, height: 600, channels: 3, background: '#336699' } })
    .png()
    .toBuffer();

export const pictureFile = (file: Buffer, contentType = 'image/png') => ({
  file: file.toString('base64'),
  filename: 'me.png',
  contentType,
});
