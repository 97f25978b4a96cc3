import type { DpopKey } from './dpop.ts';
import { errorOf, errorOfFailure, record, type TesseraError } from './errors.ts';
import { routes } from './generated/routes.ts';
import type { Session } from './session.ts';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;
/** A thing as the API answers it: its version is `version`, or else `updatedAt`. */
export type Versioned = { readonly updatedAt: string | null; readonly version?: string };
export type CallOptions = {
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * The thing as you read it. A change is refused (412, `PRECONDITION_FAILED`) when it has changed
   * since. Left out, the last change wins.
   */
  readonly ifMatch?: Versioned | undefined;
  /**
   * A UUID of your own for an operation that makes something. Sent again within 24 hours with the
   * same input, it happens once and the answer is the same; with another input it is refused (422,
   * `IDEMPOTENCY_KEY_REUSED`).
   */
  readonly idempotencyKey?: string | undefined;
  /**
   * How old the answer of a read may be, in seconds; at most 5 count. A replica of the database may
   * give it then. Not after a write of this client: it sees what it wrote.
   */
  readonly maxStaleSeconds?: number | undefined;
};
export type Connection = {
  readonly baseUrl: string;
  readonly fetch: Fetch;
  readonly timeoutMs: number;
  /** For the messages of errors: `de, en;q=0.5`. A browser sends its own. */
  readonly language: (() => string | undefined) | undefined;
  readonly sendsCookies: boolean;
  /** The key to which the tokens are bound. */
  readonly dpopKey: DpopKey | undefined;
};
export type OperationName = keyof typeof routes;
type Token = string | undefined;

/** Writes answer a token; a read that sends it sees the write, wherever it is answered. */
const consistencyHeader = 'x-consistency-token';
const mostWrites = 4;

/** Sends operations: with the session's token, and once more with a new one when it was refused. */
export function createRequests(connection: Connection, session: () => Session) {
  const writes: string[] = [];

  async function credentials(method: string, url: string, token: Token) {
    if (token === undefined) return {};
    const { dpopKey } = connection;
    if (dpopKey === undefined) return { authorization: `Bearer ${token}` };
    return { authorization: `DPoP ${token}`, dpop: await dpopKey.proof({ method, url, token }) };
  }

  async function attempt(method: string, path: string, body: unknown, call: CallOptions, token: Token): Promise<Response> {
    const language = connection.language?.();
    const url = connection.baseUrl + path;
    const headers = {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(language === undefined ? {} : { 'accept-language': language }),
      ...(writes.length === 0 ? {} : { [consistencyHeader]: writes.join('.') }),
      ...(await credentials(method, url, token)),
      ...(call.ifMatch === undefined ? {} : { 'if-match': `"${call.ifMatch.version ?? call.ifMatch.updatedAt}"` }),
      ...(call.idempotencyKey === undefined ? {} : { 'idempotency-key': call.idempotencyKey }),
      ...(call.maxStaleSeconds === undefined ? {} : { 'cache-control': `max-stale=${call.maxStaleSeconds}` }),
      ...call.headers,
    };
    const timeout = AbortSignal.timeout(connection.timeoutMs);
    const signal = call.signal === undefined ? timeout : AbortSignal.any([call.signal, timeout]);
    const init = {
      method,
      headers,
      signal,
      credentials: connection.sendsCookies ? 'include' : 'omit',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    } as const;
    try {
      const response = await connection.fetch(url, init);
      const written = response.headers.get(consistencyHeader);
      if (written !== null) writes.splice(0, writes.length, ...[written, ...writes].slice(0, mostWrites));
      return response;
    } catch (cause) {
      throw call.signal?.aborted ? cause : errorOfFailure(cause);
    }
  }

  /** The parsed body of a success. Anything else is thrown as a TesseraError. */
  async function request(method: string, path: string, body: unknown, call: CallOptions, access: Access): Promise<unknown> {
    const token = await tokenFor(access, session());
    const { userId } = session();
    const first = await attempt(method, path, body, call, token);
    const response = first.status === 401 && token !== undefined && (await isOfToken(first)) ? await again(first, token) : first;
    if (!response.ok) throw await errorOf(response);
    return response.json();

    async function again(refused: Response, used: string): Promise<Response> {
      const renewed = (await session().token()) === used ? await session().refresh() : await session().token();
      // Another person may have signed in meanwhile, who has not asked for this.
      if (renewed === undefined || renewed === used || session().userId !== userId) return refused;
      return attempt(method, path, body, call, renewed);
    }
  }

  async function run(name: OperationName, input: Readonly<Record<string, unknown>>, call: CallOptions): Promise<unknown> {
    const { method, access, path, rest } = place(name, input);
    const hasBody = method === 'POST' || method === 'PUT' || method === 'PATCH';
    const body = record(await request(method, hasBody ? path : path + queryOf(rest), hasBody ? rest : undefined, call, access));
    return body['success'] === true && 'data' in body ? body['data'] : body;
  }

  return { run, request };
}

/** Not a wrong password or code, which would count a second time. */
async function isOfToken(refused: Response): Promise<boolean> {
  const body = record(
    await refused
      .clone()
      .json()
      .catch(() => undefined),
  );
  return body['translationKey'] === undefined || body['translationKey'] === 'errors.unauthenticated';
}

type Access = 'none' | 'optional' | 'required';

/** Whether or not a token is needed, none is better than an error of the refresh. */
async function tokenFor(access: Access, session: Session): Promise<Token> {
  if (access === 'none') return undefined;
  if (access === 'required') return session.token();
  return session.token().catch((_error: TesseraError) => undefined);
}

/** The path with its parameters filled in, and the rest of the input. */
function place(name: OperationName, input: Readonly<Record<string, unknown>>) {
  const [verb = '', pattern = ''] = routes[name].split(' ');
  const method = verb.replace(/[?!]$/, '');
  const access: Access = verb.endsWith('!') ? 'none' : verb.endsWith('?') ? 'optional' : 'required';
  const rest: Record<string, unknown> = { ...input };
  const path = pattern.replace(/\{(\w+)\}/g, (_, parameter: string) => {
    const value = String(rest[parameter] ?? '');
    if (value === '') throw new TypeError(`${name} needs '${parameter}'`);
    delete rest[parameter];
    return encodeURIComponent(value);
  });
  return { method, access, path: `/api${path}`, rest };
}

/** Lists are joined by commas; a scope becomes `scopeId` and `tenant`. */
function queryOf({ scope, ...rest }: Readonly<Record<string, unknown>>): string {
  const { id: scopeId, tenant } = record(scope);
  const given = Object.entries({ scopeId, tenant, ...rest }).filter(([, value]) => value !== undefined && value !== null);
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]))}`;
}
