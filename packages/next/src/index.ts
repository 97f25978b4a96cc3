import { cookies } from 'next/headers';
import { redirect } from 'next/navigation';
import { NextResponse } from 'next/server';
import { createTesseraAuth, type TesseraAuth } from './auth.ts';
import type { TesseraAuthOptions } from './options.ts';

export type { TesseraAuth } from './auth.ts';
export type { EndedSessions } from './ended.ts';
export type { TesseraAuthOptions } from './options.ts';
export type { SignInError } from './routes.ts';
export type { Session } from './session.ts';

/** Sign-in with Tessera: the routes, the proxy, and who is signed in. */
export function tesseraAuth(options: TesseraAuthOptions): TesseraAuth {
  return createTesseraAuth(options, {
    cookies: async () => new Map((await cookies()).getAll().map(({ name, value }) => [name, value])),
    redirect,
    goOn: (headers) => NextResponse.next({ request: { headers } }),
  });
}
