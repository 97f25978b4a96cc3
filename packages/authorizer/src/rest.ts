/** The same questions over REST, for services that cannot use gRPC. */
import type { TokenCredential } from './credentials.ts';
import { AuthorizerError, type AuthorizerErrorCode } from './errors.ts';
import type { Decision, PermissionGrant, Question, Scope, Transport, Whose } from './question.ts';

export type RestOptions = {
  /** The address of the platform, for example `https://iam.example.com`. */
  readonly url: string;
  /**
   * For questions about this program itself. Questions with `userToken` go with that token; where
   * they name no scope, this credential says of which project it may be.
   */
  readonly credential: TokenCredential;
  readonly timeoutMs?: number;
  readonly fetch?: typeof fetch;
};

const mostQuestions = 1_000;

/** Answers about `userToken` and about `self`; naming a user takes gRPC. */
export function restTransport({ url, credential, timeoutMs = 5_000, fetch: send = fetch }: RestOptions): Transport {
  const origin = url.replace(/\/$/, '');

  const request = async (method: 'GET' | 'POST', path: string, bearer: string, more: { body?: object; headers?: object }) => {
    const response = await send(`${origin}${path}`, {
      method,
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json', ...more.headers },
      ...(more.body === undefined ? {} : { body: JSON.stringify(more.body) }),
      signal: AbortSignal.timeout(timeoutMs),
    }).catch((cause: unknown) => {
      const isLate = cause instanceof Error && cause.name === 'TimeoutError';
      throw new AuthorizerError(isLate ? 'DEADLINE_EXCEEDED' : 'UNAVAILABLE', `${origin} did not answer`, { cause });
    });
    const body = (await response.json().catch(() => ({}))) as { data?: unknown; error?: string };
    if (response.ok) return body.data;
    throw refusalOf(response, body.error);
  };
  /** The user's own token, or the credential's, which is renewed once when it is refused. */
  const asWhom = async <Result>(whose: Whose, work: (bearer: string) => Promise<Result>, refused: () => Result): Promise<Result> => {
    const isRefused = (error: unknown) => error instanceof AuthorizerError && error.code === 'UNAUTHENTICATED';
    if (whose.userToken !== undefined)
      return work(whose.userToken).catch((error: unknown) => {
        if (isRefused(error)) return refused();
        throw error;
      });
    return credential
      .read(false)
      .then(work)
      .catch(async (error: unknown) => {
        if (isRefused(error)) return work(await credential.read(true));
        throw error;
      });
  };

  /** As over gRPC; without it the server would take whatever place the user's token is for. */
  const defaultScope = async ({ userToken }: Whose): Promise<Scope | undefined> =>
    userToken === undefined ? undefined : placeOf(userToken, await credential.read(false));

  const askOf = async (whose: Whose, questions: readonly Question[], isFresh: boolean): Promise<readonly Decision[]> => {
    const byDefault = questions.some(({ scope }) => scope === undefined) ? await defaultScope(whose) : undefined;
    const checks = questions.map(({ resource, action, target, scope = byDefault }) => ({
      permission: { resource, action },
      ...(target === undefined ? {} : { context: { resource: target } }),
      ...(scope === undefined ? {} : { scope }),
    }));
    const headers = {
      ...(whose.consistencyToken === undefined ? {} : { 'x-consistency-token': whose.consistencyToken }),
      ...(isFresh ? { 'cache-control': 'no-cache' } : {}),
    };
    const subject = namedOf(whose);
    const ask = async (bearer: string) => {
      const body = { checks, ...(subject === undefined ? {} : { subject }) };
      const data = await request('POST', '/api/auth/is-authorized/batch', bearer, { body, headers });
      return (data as { decisions: readonly Decision[] }).decisions;
    };
    return asWhom(whose, ask, () => questions.map(() => ({ authorized: false, reason: 'NOT_AUTHENTICATED' })));
  };

  return {
    mostQuestions,
    async ask(questions, isExplained) {
      const groups = new Map<string, Question[]>();
      for (const question of questions) groups.set(groupOf(question), [...(groups.get(groupOf(question)) ?? []), question]);
      const answers = new Map<Question, Decision>();
      const askGroup = async (group: readonly Question[]): Promise<void> => {
        const [first] = group as [Question];
        const decisions = await askOf(first, group, first.noCache === true);
        for (const [place, decision] of decisions.entries()) answers.set(group[place] as Question, presented(decision, isExplained));
      };
      await Promise.all([...groups.values()].map(askGroup));
      return questions.flatMap((question) => answers.get(question) ?? []);
    },
    async listPermissions(whose) {
      if (namedOf(whose) !== undefined)
        throw new AuthorizerError('INVALID_ARGUMENT', 'REST lists the permissions of userToken and self only');
      const scope = whose.scope ?? (await defaultScope(whose));
      const query = scope === undefined ? '' : `?tenant=${scope.tenant}&scopeId=${encodeURIComponent(scope.id)}`;
      const headers = whose.consistencyToken === undefined ? {} : { 'x-consistency-token': whose.consistencyToken };
      const list = (bearer: string) => request('GET', `/api/auth/permissions${query}`, bearer, { headers });
      const data = await asWhom(whose, list, () => {
        throw new AuthorizerError('INVALID_ARGUMENT', 'userToken is not a valid access token');
      });
      const { permissions } = data as { permissions: readonly { resource: string; action: string; condition: object | null }[] };
      return permissions.map(
        ({ resource, action, condition }): PermissionGrant => ({ resource, action, ...(condition === null ? {} : { condition }) }),
      );
    },
    close: () => undefined,
  };
}

const projects: ReadonlyMap<unknown, Scope['tenant']> = new Map([
  ['accountProjectUser', 'accountProject'],
  ['organizationProjectUser', 'organizationProject'],
]);
const nowhere = {};

type Read = { readonly iss?: unknown; readonly scope?: { readonly tenant?: unknown; readonly id?: unknown } };

/** Not verified here: the server refuses a token whose claims are false. */
function read(token: string): Read {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    return typeof claims === 'object' && claims !== null ? claims : nowhere;
  } catch {
    return nowhere;
  }
}

/** The project in which a token acts, of its owner or of an organization that uses it. */
function projectOf({ scope }: Read): Scope | undefined {
  const tenant = projects.get(scope?.tenant);
  return tenant && { tenant, id: String(scope?.id).split(':').slice(0, 2).join(':') };
}

/** The project whose key signed a token. */
function signerOf({ iss }: Read): Scope | undefined {
  const [, kind, parent, project] = /\/(org|acc)\/([^/]+)\/prj\/([^/]+)$/.exec(String(iss)) ?? [];
  return kind === undefined ? undefined : { tenant: kind === 'org' ? 'organizationProject' : 'accountProject', id: `${parent}:${project}` };
}

/**
 * Where the user's token acts, if the credential's own project signed it, or for a service account
 * a project of its organization. Else the credential's own place: the owner of another project
 * could give any right there.
 */
function placeOf(userToken: string, credential: string): Scope {
  const [user, own] = [read(userToken), read(credential)];
  const place = projectOf(own);
  const signer = signerOf(user);
  if (place !== undefined) return signer?.tenant === place.tenant && signer.id === place.id ? (projectOf(user) ?? place) : place;
  const { tenant, id } = own.scope ?? {};
  if (tenant !== 'organization' && tenant !== 'account')
    throw new AuthorizerError('INVALID_ARGUMENT', 'the credential is of no project: name the scope');
  return signer?.tenant === `${tenant}Project` && signer.id.startsWith(`${String(id)}:`)
    ? (projectOf(user) ?? { tenant, id: String(id) })
    : { tenant, id: String(id) };
}

/** Whom the question names, as the API takes it; undefined for `userToken` and `self`. */
function namedOf({ subject }: Whose): { readonly type: string; readonly id: string } | undefined {
  if (subject === undefined || subject.type === 'self') return undefined;
  if (subject.type === 'user') return { type: 'user', id: subject.userId };
  if ('id' in subject) return { type: subject.type, id: subject.id };
  throw new AuthorizerError('INVALID_ARGUMENT', 'REST takes no subject of a token that was verified elsewhere: give userToken');
}

/** Questions that one request can carry: they go with the same token and the same headers. */
function groupOf({ userToken, subject, consistencyToken, noCache }: Question): string {
  return JSON.stringify([userToken, subject, consistencyToken, noCache]);
}

function presented({ authorized, reason, ...explained }: Decision, isExplained: boolean): Decision {
  return Object.freeze({ authorized, reason, ...(isExplained ? explained : {}) });
}

const codes: Readonly<Record<number, AuthorizerErrorCode>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  413: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

function refusalOf(response: Response, message: string | undefined): AuthorizerError {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  const retryAfterSeconds = Number.isFinite(seconds) ? seconds : undefined;
  return new AuthorizerError(codes[response.status] ?? 'INTERNAL', message ?? `status ${response.status}`, { retryAfterSeconds });
}
