import { createHmac } from 'node:crypto';
import { AuthorizerError } from './errors.ts';
import type { Scope } from './question.ts';

/** The access token of a program: of an API key or of a machine app. */
export type TokenCredential = {
  readonly kind: 'token';
  /** `isRefused`: the last one was refused, so a new one is needed. */
  readonly read: (isRefused: boolean) => Promise<string>;
};
/** A service inside the platform's network, which knows INTERNAL_AUTH_SECRET. */
export type ServiceCredential = { readonly kind: 'service'; readonly headerFor: (methodPath: string) => string };
export type Credential = TokenCredential | ServiceCredential;

/** A token that you fetch yourself, for example by openid-client. */
export function token(read: (isRefused: boolean) => Promise<string>): TokenCredential {
  return { kind: 'token', read };
}

export type ApiKey = {
  /** The address of the platform, for example `https://iam.example.com`. */
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: Scope;
  readonly fetch?: typeof fetch;
};

const renewBeforeMs = 60_000;
const exchangeTimeoutMs = 10_000;

/** Exchanges an API key for access tokens: one exchange at a time, a minute before the end. */
export function apiKey({ url, clientId, clientSecret, scope, fetch: send = fetch }: ApiKey): TokenCredential {
  let current: { readonly value: string; readonly renewAt: number } | undefined;
  let running: Promise<string> | undefined;

  const exchange = async (): Promise<string> => {
    const response = await send(`${url.replace(/\/$/, '')}/api/auth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ clientId, clientSecret, scope }),
      signal: AbortSignal.timeout(exchangeTimeoutMs),
    }).catch((cause: unknown) => {
      throw new AuthorizerError('UNAVAILABLE', `${url} did not answer`, { cause });
    });
    if (response.status === 401) throw new AuthorizerError('UNAUTHENTICATED', `API key ${clientId} is refused`);
    if (!response.ok) throw new AuthorizerError('UNAVAILABLE', `${url} answered ${response.status}`);
    const { data } = (await response.json()) as { data: { accessToken: string; expiresIn: number } };
    current = { value: data.accessToken, renewAt: Date.now() + Math.max(data.expiresIn * 500, data.expiresIn * 1000 - renewBeforeMs) };
    return data.accessToken;
  };

  return token(async (isRefused) => {
    if (!isRefused && current !== undefined && Date.now() < current.renewAt) return current.value;
    running ??= exchange().finally(() => {
      running = undefined;
    });
    return running;
  });
}

const reuseMs = 5_000;

/**
 * The credential of a service inside: caller, method and time, signed with INTERNAL_AUTH_SECRET (of
 * several, comma-separated, with the first). Never give that secret to an application.
 */
export function service({ name, secret }: { readonly name: string; readonly secret: string }): ServiceCredential {
  const [first = ''] = secret.split(',');
  const key = createHmac('sha256', first.trim()).update('tessera service credential v1').digest();
  const issued = new Map<string, { readonly at: number; readonly value: string }>();
  return {
    kind: 'service',
    headerFor(path) {
      const known = issued.get(path);
      if (known !== undefined && Math.abs(Date.now() - known.at) < reuseMs) return known.value;
      const seconds = Math.floor(Date.now() / 1000);
      const mac = createHmac('sha256', key).update(`${name}\n${path}\n${seconds}`).digest('base64url');
      const value = `${name}.${seconds}.${mac}`;
      issued.set(path, { at: Date.now(), value });
      return value;
    },
  };
}
