import { type TesseraClient, TesseraError } from '@tessera/client';

type Client = Pick<TesseraClient, 'session' | 'getMe'>;
export type End = 'stopped' | 'signed-out' | 'another-person';

type Parts = {
  /** A client of the session that the console has in this browser. */
  readonly connect: () => Client;
  /** The origin of the page, the only one that gets a token. */
  readonly origin: string;
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>;
  readonly onEnd: (end: End) => void;
};

export type ConsoleSession = {
  /** Whose session is used from now on; undefined without a session. */
  begin(): Promise<string | undefined>;
  end(): void;
  /** A request of the page, with a token of the session while it is used. */
  fetch(url: string, init?: RequestInit): Promise<Response>;
};

/**
 * The session of the console, for the requests of another page of this origin. It is connected only
 * while the person uses it, and its tokens are known to nothing but the request that carries one.
 */
export function createConsoleSession({ connect, origin, fetch, onEnd }: Parts): ConsoleSession {
  let used: { readonly client: Client; readonly userId: string } | undefined;

  function finish(end: End): void {
    used?.client.session.close();
    used = undefined;
    onEnd(end);
  }

  /** A sign-out, or a sign-in of another person, in any tab. */
  function follow(client: Client, userId: string): void {
    client.session.subscribe((state) => {
      if (used?.client !== client) return;
      if (state === 'signed-out') finish('signed-out');
      else if (client.session.userId !== userId) finish('another-person');
    });
  }

  async function tokenOf(asked: NonNullable<typeof used>): Promise<string> {
    const token = await asked.client.session.token();
    if (token === undefined || used !== asked) throw new Error('Nothing was sent: your console session has ended.');
    return token;
  }

  return {
    async begin() {
      const client = connect();
      const me = await whoIs(client).catch((error: unknown) => {
        client.session.close();
        throw error;
      });
      if (me === undefined || me.user.id !== client.session.userId) {
        client.session.close();
        return undefined;
      }
      used?.client.session.close();
      used = { client, userId: me.user.id };
      follow(client, me.user.id);
      return me.email ?? me.user.name;
    },
    end: () => finish('stopped'),
    async fetch(url, init = {}) {
      const headers = new Headers(init.headers);
      // A token that the person has pasted counts.
      if (used === undefined || headers.has('authorization') || new URL(url, origin).origin !== origin) return fetch(url, init);
      const asked = used;
      headers.set('authorization', `Bearer ${await tokenOf(asked)}`);
      const response = await fetch(url, { ...init, headers });
      // It may have been ended on another device, or by this request.
      if (response.status === 401 && used === asked) void asked.client.session.refresh().catch(() => undefined);
      return response;
    },
  };
}

async function whoIs({ session, getMe }: Client) {
  if ((await session.token()) === undefined) return undefined;
  return getMe().catch((error: unknown) => {
    if (error instanceof TesseraError && error.status === 401) return undefined;
    throw error;
  });
}
