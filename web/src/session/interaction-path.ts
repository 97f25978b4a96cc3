import { safeReturn } from './return-to.ts';

/** The pages that go on with a sign-in to an app. */
const pages = ['/auth/sign-in', '/auth/project/consent', '/auth/device'];

/** The id of the sign-in to an app that a page leads back to; none of another page or host. */
export function interactionOf(path: string | undefined, origin: string = window.location.origin): string | undefined {
  const { pathname, searchParams } = new URL(safeReturn(path, origin), origin);
  return pages.includes(pathname) ? (searchParams.get('interaction') ?? undefined) : undefined;
}
