import type { Transform } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';

export type Encoding = 'br' | 'gzip';

/** Below this size, compression costs more than it saves. */
export const compressionThresholdBytes = 1_400;

/** The best encoding that the client accepts. `q=0` refuses one. */
export function chooseEncoding(acceptEncoding: string | undefined): Encoding | undefined {
  if (acceptEncoding === undefined) return undefined;
  if (/\bbr\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(acceptEncoding)) return 'br';
  if (/\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(acceptEncoding)) return 'gzip';
  return undefined;
}

export function isCompressible(contentType: string | undefined): boolean {
  return contentType !== undefined && /^(?:text\/|application\/(?:[\w.+-]*json|javascript|xml)|image\/svg)/.test(contentType);
}

export function createCompressor(encoding: Encoding): Transform {
  return encoding === 'br' ? createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }) : createGzip({ level: 6 });
}

const compress = { br: promisify(brotliCompress), gzip: promisify(gzip) };

/** Compresses the whole body in a thread, off the event loop. */
export function compressed(bytes: Buffer, encoding: Encoding): Promise<Buffer> {
  return encoding === 'br' ? compress.br(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }) : compress.gzip(bytes);
}
