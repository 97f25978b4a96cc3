import type { Answer, ScopeValue } from '../../support/client.ts';
import type { Person } from '../../support/world.ts';

/** What the steps have made so far, by the names under which they keep it. */
export type Made = Record<string, string>;

/** One mutation that is done, and what its record must say. */
export type Step = {
  readonly input: (made: Made) => Readonly<Record<string, unknown>> | Promise<Readonly<Record<string, unknown>>>;
  readonly as?: Person;
  /** In place of the person's first token. */
  readonly token?: (made: Made) => string | Promise<string>;
  /** The browser's cookies, for what is bound to them. */
  readonly cookies?: Map<string, string>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Keeps the id of what was made under this name. */
  readonly keep?: string;
  /** What the record must say of the change: [field, before, after]. */
  readonly changes?: (made: Made) => readonly (readonly [string, unknown, unknown])[];
  /** Records of other services, whose own changes belong to it. */
  readonly also?: readonly string[];
  /** Who did it, when no token says so. */
  readonly actorId?: string | ((data: Answer['body']) => string);
  readonly scope?: ScopeValue | null;
  /** Any caller may request it: one record a minute stands for all requests. */
  readonly counted?: true;
};
export type Steps = Readonly<Record<string, Step>>;

/** The user agent of every step: a session's cookie counts from its own device only. */
export const stepDevice = 'audit truth';

export function keepCookies(cookies: Map<string, string>, { headers }: Answer): void {
  for (const line of [headers['set-cookie'] ?? []].flat()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    cookies.set(name, value);
  }
}

export function cookieHeader(cookies: ReadonlyMap<string, string> | undefined): Readonly<Record<string, string>> {
  return cookies === undefined ? {} : { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') };
}
