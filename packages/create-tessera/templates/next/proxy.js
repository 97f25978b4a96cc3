import { tessera } from './lib/tessera.js';

// Renews the session before a page reads it. Pages and routes still ask for themselves.
export const proxy = tessera.proxy;

export const config = { matcher: ['/((?!_next/static|_next/image|favicon.ico).*)'] };
