import type { DpopKey } from './dpop.ts';
import { TesseraError } from './errors.ts';
import type { TesseraErrorKey } from './generated/error-keys.ts';
import { routes } from './generated/routes.ts';
import type { ErrorCode, Operations } from './generated/types.ts';
import { type PagePromise, pagePromise } from './pages.ts';
import { type CallOptions, createRequests, type Fetch, type OperationName } from './requests.ts';
import { createSession, type Session, type Tokens } from './session.ts';

export type Input<Name extends OperationName> = Operations[Name]['input'];
export type Output<Name extends OperationName> = Operations[Name]['output'];
/** What one element of a list is. */
export type Item<Name extends OperationName> = Output<Name> extends { items: Array<infer One> } ? One : never;

type Answer<Name extends OperationName> = [Item<Name>] extends [never] ? Promise<Output<Name>> : PagePromise<Output<Name>, Item<Name>>;
type Method<Name extends OperationName> =
  Record<never, never> extends Input<Name>
    ? (input?: Input<Name>, call?: CallOptions) => Answer<Name>
    : (input: Input<Name>, call?: CallOptions) => Answer<Name>;
export type Methods = { readonly [Name in OperationName]: Method<Name> };

export type ApiKeyCredentials = Input<'exchangeApiKey'>;

export type ClientOptions = {
  /** Where Tessera is: `https://iam.example.com`. In a page of Tessera itself it can be left out. */
  readonly baseUrl?: string;
  /**
   * How the client is signed in. `cookie`, the default in browsers: by the refresh cookie, one
   * session for all tabs. `memory`, the default elsewhere: by the tokens of `login`. Or an API key,
   * or a function that returns an access token.
   */
  readonly session?: 'cookie' | 'memory' | ApiKeyCredentials | (() => Promise<string>);
  /**
   * The key to which the tokens of `session` are bound (DPoP, RFC 9449): each request brings a
   * proof of it. For a function that returns tokens of an app; other tokens are bound to none.
   */
  readonly dpopKey?: DpopKey;
  readonly fetch?: Fetch;
  /** The language of messages, as in Accept-Language. Default: the browser's own. */
  readonly language?: () => string | undefined;
  readonly timeoutMs?: number;
  /**
   * Lets passwords and tokens travel unencrypted to a `baseUrl` of http: for a network that you
   * trust whole. Without it http is refused, but for this machine.
   */
  readonly allowPlainHttp?: boolean;
  /**
   * Asks the person to prove that it is still them (`confirmIdentity`), when the server answers
   * FRESH_SIGN_IN_REQUIRED or SECOND_FACTOR_REQUIRED, or that they read the mail of the account
   * (`requestAddressCode`, `confirmAddress`), when it answers ADDRESS_NOT_HELD. After true the
   * request is sent once more.
   */
  readonly prove?: (error: TesseraError) => Promise<boolean>;
};

export type SignInStart = {
  readonly provider: string;
  readonly action: 'login' | 'register' | 'connect' | 'confirm';
  /** A page of the frontend, to which the one-time code comes: pass it to `exchangeCode`. */
  readonly redirect?: string;
  readonly accountType?: 'personal' | 'organization';
  /** The person must sign in anew at the provider, as an app that sends `prompt=login` demands. */
  readonly prompt?: 'login';
  /** Of an organization’s provider: the address that the person has typed. */
  readonly login_hint?: string;
};

export type TesseraClient = Methods & {
  readonly session: Session;
  /**
   * Ends the session on the server and in every tab; with `endGranted` also those that it granted
   * to programs.
   */
  signOut(options?: { readonly endGranted?: boolean }): Promise<void>;
  /** Where a browser goes to sign in at a provider. */
  signInUrl(start: SignInStart): string;
  /** The `data` of a GraphQL request. Its first error is thrown as a TesseraError. */
  graphql<Data>(query: string, variables?: Readonly<Record<string, unknown>>, call?: CallOptions): Promise<Data>;
};

/** As in the verifier: http is for this machine only. */
export function isPlainHttp(baseUrl: string): boolean {
  if (!URL.canParse(baseUrl)) return false;
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'http:' && !['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

/** A client of Tessera's API: one method for each operation, and the session behind them. */
export function createClient(options: ClientOptions = {}): TesseraClient {
  const kind = options.session ?? ('document' in globalThis ? 'cookie' : 'memory');
  const baseUrl = (options.baseUrl ?? '').replace(/\/$/, '');
  if (options.allowPlainHttp !== true && isPlainHttp(baseUrl))
    throw new TypeError(`${baseUrl} must be an https address, or set allowPlainHttp`);
  const connection = {
    baseUrl,
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    timeoutMs: options.timeoutMs ?? 30_000,
    language: options.language,
    sendsCookies: kind === 'cookie',
    dpopKey: options.dpopKey,
  };
  const requests = createRequests(connection, () => session);
  const session = createSession({
    renew: renewal(kind, (name, input) => requests.run(name, input, {}) as Promise<Tokens>),
    sharedName: kind === 'cookie' ? `tessera-session ${baseUrl}` : undefined,
  });

  async function run(name: OperationName, input: Readonly<Record<string, unknown>>, call: CallOptions): Promise<unknown> {
    const data = await requests.run(name, input, call).catch(async (error: unknown) => {
      if (!asksForProof(error) || name === 'confirmIdentity' || (await options.prove?.(error)) !== true) throw error;
      return requests.run(name, input, call);
    });
    // A refresh is the session's own affair.
    if (name !== 'refreshSession' && hasTokens(data)) session.start(kind === 'cookie' ? { accessToken: data.accessToken } : data);
    return data;
  }

  const methods = Object.fromEntries(
    (Object.keys(routes) as OperationName[]).map((name) => [
      name,
      (input: Readonly<Record<string, unknown>> = {}, call: CallOptions = {}) =>
        name.startsWith('list') ? pagePromise((page) => run(name, page, call), input) : run(name, input, call),
    ]),
  ) as unknown as Methods; // each name with the types that were generated beside its route

  return {
    ...methods,
    session,
    async signOut({ endGranted = false } = {}) {
      await methods.logout(endGranted ? { endGranted } : {}).catch((error: unknown) => {
        if (!(error instanceof TesseraError && error.status === 401)) throw error;
      });
      session.forget();
    },
    signInUrl({ provider, ...query }) {
      // An organization's provider is `connections/<id>`.
      const path = provider.split('/').map(encodeURIComponent).join('/');
      return `${baseUrl}/api/auth/${path}?${new URLSearchParams(query)}`;
    },
    async graphql<Data>(query: string, variables: Readonly<Record<string, unknown>> = {}, call: CallOptions = {}) {
      const body = await requests.request('POST', '/graphql', { query, variables }, call, 'optional');
      const { data, errors } = body as { data: Data; errors?: readonly { message: string; extensions?: { code?: string } }[] };
      const [error] = errors ?? [];
      if (error === undefined) return data;
      const extensions = (error.extensions ?? {}) as Record<string, string>;
      throw new TesseraError(error.message, {
        status: 200,
        code: (extensions['code'] ?? 'INTERNAL_ERROR') as ErrorCode,
        field: extensions['field'],
        reason: extensions['reason'],
        translationKey: extensions['translationKey'] as TesseraErrorKey | undefined,
        extensions,
      });
    },
  };
}

type Renew = (name: OperationName, input: Readonly<Record<string, unknown>>) => Promise<Tokens>;

function renewal(
  kind: NonNullable<ClientOptions['session']>,
  run: Renew,
): (refreshToken: string | undefined) => Promise<Tokens | undefined> {
  if (kind === 'cookie') return () => run('refreshSession', {}).then(({ accessToken }) => ({ accessToken }));
  if (kind === 'memory') return async (refreshToken) => (refreshToken === undefined ? undefined : run('refreshSession', { refreshToken }));
  if (typeof kind === 'function') return async () => ({ accessToken: await kind() });
  return () => run('exchangeApiKey', kind);
}

const provable: ReadonlySet<string> = new Set(['FRESH_SIGN_IN_REQUIRED', 'SECOND_FACTOR_REQUIRED', 'ADDRESS_NOT_HELD']);

function asksForProof(error: unknown): error is TesseraError {
  return error instanceof TesseraError && provable.has(error.code);
}

function hasTokens(data: unknown): data is { readonly accessToken: string; readonly refreshToken: string } {
  return typeof data === 'object' && data !== null && 'accessToken' in data && 'refreshToken' in data;
}
