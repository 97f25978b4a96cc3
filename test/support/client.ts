/** A client of the platform: REST and GraphQL through the gateway only. */
import { Agent, request } from 'undici';
import { witness } from './witness.ts';

export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The parsed body; tests look into it as they please. */
  // biome-ignore lint/suspicious/noExplicitAny: the response is what is tested, so its shape is unknown
  readonly body: any;
};

export type CallOptions = {
  readonly token?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

/**
 * A connection that idled while other files ran may be closed by the gateway just when it is used:
 * an idle one ends here first.
 */
const dispatcher = new Agent({ keepAliveTimeout: 1_000, keepAliveMaxTimeout: 1_000 });

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export type Client = {
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  get(path: string, token?: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  post(path: string, body: unknown, token?: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  patch(path: string, body: unknown, token?: string): Promise<Answer>;
  delete(path: string, token?: string): Promise<Answer>;
  graphql(query: string, variables?: object, token?: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
};

/** `userAgent` names the device: sessions are unique per device. */
export function createClient(url: string, userAgent = 'tessera-test'): Client {
  const call: Client['call'] = async (method, path, { token, body, headers = {} } = {}) => {
    const answer = await request(`${url}${path}`, {
      dispatcher,
      method: method as 'GET',
      headers: {
        'user-agent': userAgent,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const [status, received] = [answer.statusCode, parse(await answer.body.text())];
    witness({ method, path, token, sent: body, status, headers: answer.headers, body: received });
    return { status, headers: answer.headers, body: received };
  };
  return {
    call,
    get: (path, token, headers = {}) => call('GET', path, { token, headers }),
    post: (path, body, token, headers = {}) => call('POST', path, { token, body, headers }),
    patch: (path, body, token) => call('PATCH', path, { token, body }),
    delete: (path, token) => call('DELETE', path, { token }),
    graphql: (query, variables = {}, token, headers = {}) => call('POST', '/graphql', { token, body: { query, variables }, headers }),
  };
}

export type ScopeValue = { readonly tenant: string; readonly id: string };

/** The query string of a scope. */
export function inScope({ tenant, id }: ScopeValue, more = ''): string {
  return `tenant=${tenant}&scopeId=${encodeURIComponent(id)}${more === '' ? '' : `&${more}`}`;
}
