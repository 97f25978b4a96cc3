import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { chooseEncoding, compressed, type Encoding, isCompressible, keptQuality } from '../edge/compression.ts';

const { resolve } = createRequire(import.meta.url);

/** The path of a file in an installed package, even if its `exports` do not name it. */
export function packaged(name: string, file: string): string {
  return join(dirname(resolve(`${name}/package.json`)), file);
}

export type Asset = {
  readonly type: string;
  /** For so long a browser may use its copy without a request. */
  readonly maxAgeSeconds: number;
  /** The name changes with the content, so the copy never has to be asked for again. */
  readonly isImmutable?: boolean;
  read(): Promise<Buffer>;
  /** The same compressed with brotli, where the build has made it. */
  readBrotli?(): Promise<Buffer>;
};

type Variant = { readonly bytes: Buffer; readonly etag: string };

/**
 * Serves one file: read once, compressed at build or else once for each encoding, and 304 for a
 * client that has it.
 */
export function serveAsset({
  type,
  maxAgeSeconds,
  isImmutable = false,
  read,
  readBrotli,
}: Asset): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  const variants = new Map<Encoding | 'identity', Promise<Variant>>();
  const make = async (encoding: Encoding | undefined): Promise<Variant> => {
    const bytes =
      encoding === 'br' && readBrotli !== undefined
        ? await readBrotli()
        : encoding === undefined
          ? await read()
          : await compressed(await read(), encoding, keptQuality);
    return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` };
  };
  const variantOf = (encoding: Encoding | undefined): Promise<Variant> => {
    const key = encoding ?? 'identity';
    const made = variants.get(key) ?? make(encoding);
    variants.set(key, made);
    made.catch(() => variants.delete(key));
    return made;
  };
  return async (request, reply) => {
    const encoding = isCompressible(type) ? chooseEncoding(request.headers['accept-encoding']) : undefined;
    const { bytes, etag } = await variantOf(encoding);
    const lifetime = isImmutable ? ', immutable' : maxAgeSeconds === 0 ? ', no-cache' : '';
    reply.header('etag', etag).header('cache-control', `public, max-age=${maxAgeSeconds}${lifetime}`).header('vary', 'Accept-Encoding');
    if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send();
    if (encoding !== undefined) reply.header('content-encoding', encoding);
    return reply.type(type).send(bytes);
  };
}

export function file(path: string | URL, type: string, maxAgeSeconds = 86_400, isImmutable = false): Asset {
  const brotli = `${path instanceof URL ? fileURLToPath(path) : path}.br`;
  return {
    type,
    maxAgeSeconds,
    isImmutable,
    read: () => readFile(path),
    ...(existsSync(brotli) ? { readBrotli: () => readFile(brotli) } : {}),
  };
}

export function text(content: string, type: string, maxAgeSeconds = 86_400): Asset {
  return {
    type,
    maxAgeSeconds,
    read: async () => Buffer.from(content),
  };
}
