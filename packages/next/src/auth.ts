import { type CookieJar, parseCookies } from './cookies.ts';
import { createKeeper } from './keeper.ts';
import { settingsOf, type TesseraAuthOptions } from './options.ts';
import { createProvider } from './provider.ts';
import { createProxy } from './proxy.ts';
import { createRoutes, type Handler } from './routes.ts';
import { createSealer } from './seal.ts';
import type { Session } from './session.ts';

/** What Next.js gives: the package's index passes it, a test its own. */
export type Platform = {
  readonly cookies: () => Promise<CookieJar>;
  /** Does not return: Next.js ends the page by what is thrown. */
  readonly redirect: (address: string) => Promise<never>;
  readonly goOn: (headers: Headers) => Promise<Response>;
};

/** What the Pages Router gives to `getServerSideProps` and to API routes. */
export type RequestOfPages = { readonly headers: { readonly cookie?: string | undefined } };

export type TesseraAuth = {
  /** For `app/auth/[...tessera]/route.ts`: `export const { GET, POST } = tessera.handlers`. */
  readonly handlers: { readonly GET: Handler; readonly POST: Handler };
  /** For `proxy.ts`, or `middleware.ts`: renews the session, guards `isProtected`. */
  readonly proxy: (request: Request) => Promise<Response>;
  /**
   * Who is signed in, in server components, server actions and route handlers; else undefined. In
   * the Pages Router, `getServerSideProps` and API routes pass their request.
   */
  readonly auth: (request?: RequestOfPages) => Promise<Session | undefined>;
  /** The session, or the way to the sign-in and back to `returnTo`; in the App Router. */
  readonly requireSession: (returnTo?: string) => Promise<Session>;
  /**
   * The access token, for calls of your APIs from the server. Keep it from the browser. The
   * request is passed as to `auth`.
   */
  readonly accessToken: (request?: RequestOfPages) => Promise<string | undefined>;
};

export function createTesseraAuth(options: TesseraAuthOptions, platform: Platform): TesseraAuth {
  let made: ReturnType<typeof make> | undefined;
  const parts = () => {
    made ??= make(options, platform);
    return made;
  };
  const current = async (request?: RequestOfPages) =>
    parts().keeper.current(request === undefined ? await platform.cookies() : parseCookies(request.headers.cookie ?? null));
  return {
    handlers: {
      GET: async (request) => parts().routes.GET(request),
      POST: async (request) => parts().routes.POST(request),
    },
    proxy: async (request) => parts().proxy(request),
    auth: async (request) => (await current(request))?.session,
    async requireSession(returnTo = '/') {
      const kept = await current();
      if (kept !== undefined) return kept.session;
      return platform.redirect(`${parts().settings.path}/sign-in?${new URLSearchParams({ returnTo })}`);
    },
    accessToken: async (request) => (await current(request))?.accessToken,
  };
}

function make(options: TesseraAuthOptions, { goOn }: Platform) {
  const settings = settingsOf(options);
  const provider = createProvider(settings);
  const sealer = createSealer(settings.secrets, settings.nowMs);
  const keeper = createKeeper(settings, provider, sealer);
  const routes = createRoutes({ settings, provider, sealer, keeper });
  return { settings, keeper, routes, proxy: createProxy(settings, keeper, goOn) };
}
