import { createTesseraAuth, type TesseraAuth } from './auth.ts';
import type { TesseraAuthOptions } from './options.ts';

export type { RequestOfPages, TesseraAuth } from './auth.ts';
export type { EndedSessions } from './ended.ts';
export type { TesseraAuthOptions } from './options.ts';
export type { SignInError } from './routes.ts';
export type { Session } from './session.ts';

/**
 * Sign-in with Tessera: the routes, the proxy, and who is signed in. Parts of Next.js are imported
 * when they are needed: the Pages Router has none of them.
 */
export function tesseraAuth(options: TesseraAuthOptions): TesseraAuth {
  return createTesseraAuth(options, {
    async cookies() {
      const { cookies } = await import('next/headers');
      return new Map((await cookies()).getAll().map(({ name, value }) => [name, value]));
    },
    async redirect(address) {
      const { redirect } = await import('next/navigation');
      return redirect(address);
    },
    async goOn(headers) {
      const { NextResponse } = await import('next/server');
      return NextResponse.next({ request: { headers } });
    },
  });
}
