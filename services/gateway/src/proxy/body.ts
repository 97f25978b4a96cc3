import type { IncomingMessage } from 'node:http';
import { type Readable, Transform } from 'node:stream';
import { failures } from '@tessera/kernel/errors';

/**
 * Bodies up to this size are read first: they go out in one write, and can be sent again to another
 * replica.
 */
const bufferedBytes = 64 * 1024;

export type ForwardedBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'whole'; readonly bytes: Buffer }
  | { readonly kind: 'stream'; readonly stream: Readable; readonly lengthHeader: string | undefined };

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] !== undefined && headers['content-length'] !== '0');
}

export const noBody: ForwardedBody = { kind: 'none' };

/**
 * Reads at most `limitBytes`. A longer body is refused before it is read if its length is declared,
 * else while it is read.
 */
export async function readBody(request: IncomingMessage, limitBytes: number): Promise<ForwardedBody> {
  const lengthHeader = request.headers['content-length'];
  const isChunked = request.headers['transfer-encoding'] !== undefined;
  const length = isChunked ? Number.POSITIVE_INFINITY : Number(lengthHeader);
  if (!isChunked && length > limitBytes) throw failures.tooLarge();
  if (length <= bufferedBytes) return { kind: 'whole', bytes: await readWhole(request) };
  return { kind: 'stream', stream: request.pipe(limited(limitBytes)), lengthHeader: isChunked ? undefined : lengthHeader };
}

function readWhole(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)));
    request.on('error', reject);
    request.on('close', () => {
      if (!request.complete) reject(failures.badInput());
    });
  });
}

function limited(limitBytes: number): Transform {
  let seen = 0;
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      seen += chunk.length;
      if (seen > limitBytes) done(failures.tooLarge());
      else done(null, chunk);
    },
  });
}
