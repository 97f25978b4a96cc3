import { CONSISTENCY_TOKEN_HEADER, joinConsistencyTokens } from '@tessera/kernel/authorization';
import { chooseLanguage } from '@tessera/kernel/errors';
import { newId } from '@tessera/kernel/ids';
import type { RequestFacts, ResponseEffects } from '@tessera/kernel/operation';
import { oldestReadMs } from '@tessera/kernel/postgres';
import { parseCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Set by the gateway, whose credential the server has checked before. */
export const CLIENT_ADDRESS_HEADER = 'x-tessera-client-ip';
/** The key to which the token is bound, once the gateway has checked the proof: its thumbprint. */
export const PROVEN_KEY_HEADER = 'x-tessera-proven-key';
export const REQUEST_ID_HEADER = 'x-request-id';
/** `replica`: a caller who accepts the past has got it, or a part of it. */
const READ_FROM_HEADER = 'x-read-from';

export function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

const SCHEME = 'bearer ';

function bearerOf(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  // Another scheme than Bearer is an invalid token (401), not a missing one.
  return header.slice(0, SCHEME.length).toLowerCase() === SCHEME ? header.slice(SCHEME.length) : '';
}

/** Drops cookies whose name occurs twice: a neighbouring subdomain may have set one of them. */
function cookiesOf(header: string | undefined): Readonly<Record<string, string>> {
  if (header === undefined) return {};
  const once = new Set<string>();
  const twice = new Set<string>();
  for (const pair of header.split(';')) {
    const name = pair.split('=', 1)[0]?.trim() ?? '';
    (once.has(name) ? twice : once).add(name);
  }
  const entries = Object.entries(parseCookie(header)).flatMap(([name, value]) =>
    value === undefined || twice.has(name) ? [] : [[name, value] as const],
  );
  return Object.fromEntries(entries);
}

/** RFC 9111, 5.2.1.2: seconds, or without a number any. */
function maxStaleOf(header: string | undefined): number | undefined {
  const [directive, seconds] = /(?:^|[\s,])max-stale(?:="?(\d{1,9})"?)?(?=$|[\s,])/i.exec(header ?? '') ?? [];
  if (directive === undefined) return undefined;
  return seconds === undefined ? oldestReadMs : Math.min(Number(seconds) * 1_000, oldestReadMs);
}

export function factsOf({ headers, ip }: FastifyRequest, transport: RequestFacts['transport']): RequestFacts {
  return {
    id: one(headers[REQUEST_ID_HEADER]) ?? newId(),
    transport,
    ipAddress: one(headers[CLIENT_ADDRESS_HEADER]) ?? ip,
    userAgent: headers['user-agent'] ?? '',
    language: chooseLanguage(headers['accept-language']),
    bearerToken: bearerOf(headers.authorization),
    provenKey: one(headers[PROVEN_KEY_HEADER]),
    cookies: cookiesOf(headers.cookie),
    origin: one(headers.origin),
    consistencyToken: one(headers[CONSISTENCY_TOKEN_HEADER]),
    ifMatch: one(headers['if-match']),
    idempotencyKey: one(headers['idempotency-key']),
    maxStaleMs: maxStaleOf(headers['cache-control']),
    noCache: headers['cache-control'] !== undefined && /(^|[\s,])no-cache($|[\s,])/i.test(headers['cache-control']),
  };
}

/** A class, because V8 makes an object with a getter of its own slowly. */
class ReplyEffects implements ResponseEffects {
  readonly #reply: FastifyReply;
  isExisting = false;

  constructor(reply: FastifyReply) {
    this.#reply = reply;
  }

  setCookie({ name, value, maxAgeSeconds, secure }: Parameters<ResponseEffects['setCookie']>[0]): void {
    const attributes = ['Path=/', `Max-Age=${maxAgeSeconds}`, 'HttpOnly', 'SameSite=Lax', ...(secure ? ['Secure'] : [])];
    void this.#reply.header('set-cookie', `${name}=${encodeURIComponent(value)}; ${attributes.join('; ')}`);
  }

  get consistencyToken(): string | undefined {
    return this.#reply.getHeader(CONSISTENCY_TOKEN_HEADER)?.toString();
  }

  markRepeated(): void {
    void this.#reply.header('idempotency-replayed', 'true');
  }

  markExisting(): void {
    this.isExisting = true;
  }

  markPast(): void {
    if (!this.#reply.sent) void this.#reply.header(READ_FROM_HEADER, 'replica');
  }

  addConsistencyToken(token: string): void {
    void this.#reply.header(CONSISTENCY_TOKEN_HEADER, joinConsistencyTokens(this.consistencyToken, token));
  }
}

export function effectsOn(reply: FastifyReply): ResponseEffects & { readonly isExisting: boolean } {
  return new ReplyEffects(reply);
}
