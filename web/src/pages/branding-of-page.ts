/** Whose branding a page asks the server for. */
export type BrandingReference = { readonly organization: string } | { readonly client_id: string };

/** The pages that a mail or the sign-in of an app opens with the `client_id` of the app. */
const pagesOfApps: readonly string[] = ['/auth/verify-email', '/auth/reset-password', '/auth/forgot-password', '/auth/project/email'];

type Page = {
  readonly pathname: string;
  readonly clientId: string | undefined;
  /** The organization that the page is about, such as the one that invites. */
  readonly organization: string | undefined;
};

/**
 * Any site can link to a page with a `client_id` of its choice, so the parameter never replaces the
 * organization of the page, and has no effect on other pages.
 */
export function brandingOfPage({ pathname, clientId, organization }: Page): BrandingReference | undefined {
  if (organization !== undefined) return { organization };
  return clientId !== undefined && pagesOfApps.includes(pathname) ? { client_id: clientId } : undefined;
}
