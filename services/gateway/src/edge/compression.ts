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

/** As fast as gzip, for what is compressed for one response. */
const fastQuality = 4;

export function createCompressor(encoding: Encoding): Transform {
  return encoding === 'br' ? createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: fastQuality } }) : createGzip({ level: 6 });
}

const compress = { br: promisify(brotliCompress), gzip: promisify(gzip) };

/** Smaller than gzip makes it, for what is compressed once and kept. */
export const keptQuality = 9;

/** Compresses the whole body in a thread, off the event loop. */
export function compressed(bytes: Buffer, encoding: Encoding, quality = fastQuality): Promise<Buffer> {
  return encoding === 'br' ? compress.br(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }) : compress.gzip(bytes);
}
