import { safeReturn } from './return-to.ts';

/**
 * The sign-in to an app in which a person signed up. The link in the mail opens another tab of the
 * same browser, which goes back to the app by it. It stays in the browser: the sign-in is bound to
 * it by a cookie, so that on another device it would be of no use.
 */
const key = 'tessera sign-up';
/** As long as the link in the mail; a sign-in that is over by then says so on its page. */
const longestMs = 24 * 3_600_000;

/** The pages that go on with a sign-in to an app. */
const pages = ['/auth/sign-in', '/auth/project/consent', '/auth/device'];

/** The id of the sign-in to an app that a page leads back to; none of another page or host. */
export function interactionOf(path: string | undefined, origin: string = window.location.origin): string | undefined {
  const { pathname, searchParams } = new URL(safeReturn(path, origin), origin);
  return pages.includes(pathname) ? (searchParams.get('interaction') ?? undefined) : undefined;
}

/** Without a sign-in to an app, the one before is forgotten. */
export function rememberSignUp(path: string | undefined): void {
  try {
    if (path === undefined || interactionOf(path) === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify({ path, until: Date.now() + longestMs }));
  } catch {
    // A browser may refuse to keep anything; then the tab that waits leads back to the app.
  }
}

/** The page that goes on with the sign-in to the app. */
export function pendingSignUp(): string | undefined {
  try {
    const { path, until }: { path?: unknown; until?: unknown } = JSON.parse(localStorage.getItem(key) ?? '{}');
    const isPending = typeof path === 'string' && typeof until === 'number' && until > Date.now();
    return isPending && interactionOf(path) !== undefined ? safeReturn(path) : undefined;
  } catch {
    return undefined;
  }
}
