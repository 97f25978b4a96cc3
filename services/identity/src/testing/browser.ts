/** A browser of the OAuth flows: it keeps cookies and shows redirects; the test follows them. */
import type { Answer, Ask, TestService } from './service.ts';

export type Visit = Answer & { readonly location: URL };

export type Browser = {
  readonly cookies: Map<string, string>;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Visit>;
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  put(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
};

const nowhere = new URL('http://nowhere.invalid/');

export function openBrowser(service: TestService, device: Ask = {}): Browser {
  const cookies = new Map<string, string>();
  const ask = async (method: string, path: string, options: Ask) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...options.headers, ...(cookie === '' ? {} : { cookie }) };
    const answer = await service.ask(method, path, { ...device, ...options, headers });
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    return answer;
  };
  return {
    cookies,
    get: async (path, headers = {}) => {
      const answer = await ask('GET', path, { headers });
      return { ...answer, location: answer.headers.location === undefined ? nowhere : new URL(String(answer.headers.location)) };
    },
    post: (path, body, headers = {}) => ask('POST', path, { body, headers }),
    put: (path, body, headers = {}) => ask('PUT', path, { body, headers }),
  };
}

/** The path and query of an address, for the service behind it. */
export function pathOf(address: string | URL): string {
  const { pathname, search } = new URL(address);
  return pathname + search;
}

/** The same address with a parameter changed, or taken out. */
export function withParameter(address: string | URL, name: string, value?: string): URL {
  const changed = new URL(address);
  if (value === undefined) changed.searchParams.delete(name);
  else changed.searchParams.set(name, value);
  return changed;
}
