import { TokenRefused } from './errors.ts';

/** The three parts of a compact JWS (RFC 7515 section 7.1), decoded but not yet believed. */
export type CompactToken = {
  readonly kid: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly signingInput: Buffer;
  readonly signature: Buffer;
};

const longestTokenBytes = 16_384;
const longestKid = 128;
const utf8 = new TextDecoder('utf-8', { fatal: true });
/** A header that brings a key, or says where to fetch one, asks to be trusted on its own word (RFC 8725 section 3.10). */
const keyHeaders = ['jwk', 'jku', 'x5c', 'x5u', 'x5t', 'x5t#S256'];

export function parseCompact(token: string): CompactToken {
  if (typeof token !== 'string' || token.length === 0) throw new TokenRefused('missing');
  if (token.length > longestTokenBytes) throw new TokenRefused('malformed');
  const parts = token.split('.');
  const [header, payload, signature] = parts;
  if (parts.length !== 3 || header === undefined || payload === undefined || signature === undefined) throw new TokenRefused('malformed');
  return {
    kid: kidOf(jsonObject(decode(header))),
    payload: jsonObject(decode(payload)),
    signingInput: Buffer.from(`${header}.${payload}`, 'ascii'),
    signature: decode(signature),
  };
}

function kidOf(header: Record<string, unknown>): string {
  // RFC 8725 section 3.1: the one algorithm that we expect, never the one that the token names.
  if (header['alg'] !== 'RS256') throw new TokenRefused('algorithm');
  if ('crit' in header || 'b64' in header || 'zip' in header || 'enc' in header) throw new TokenRefused('critical-header');
  if (keyHeaders.some((name) => name in header)) throw new TokenRefused('key-in-header');
  if (header['typ'] !== undefined && header['typ'] !== 'JWT') throw new TokenRefused('type');
  const kid = header['kid'];
  if (typeof kid !== 'string' || kid.length === 0 || kid.length > longestKid) throw new TokenRefused('unknown-key');
  return kid;
}

/** Base64url without padding, and in its one canonical form: two texts never stand for the same bytes. */
function decode(part: string): Buffer {
  const bytes = Buffer.from(part, 'base64url');
  if (bytes.length === 0 || bytes.toString('base64url') !== part) throw new TokenRefused('malformed');
  return bytes;
}

/** UTF-8 only (RFC 8725 section 3.7): another encoding of the same JSON is refused. */
function jsonObject(bytes: Buffer): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(bytes));
  } catch (cause) {
    throw new TokenRefused('malformed', { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TokenRefused('malformed');
  return value as Record<string, unknown>;
}
