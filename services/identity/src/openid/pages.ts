/** Where the browser goes: to the hosted pages. */
import type { ErrorOut, Interaction, KoaContextWithOIDC } from 'oidc-provider';
import { currentRequest } from './request.ts';

const pageOf: Readonly<Record<string, string>> = { login: 'sign-in', consent: 'project/consent' };

/** The page asks GET /api/auth/interactions/{id} what to show. */
export function interactionUrl(_ctx: KoaContextWithOIDC, { uid, prompt }: Interaction): string {
  return pageUrl(pageOf[prompt.name] ?? 'error', { interaction: uid });
}

export function pageUrl(page: string, query: Readonly<Record<string, string>>): string {
  return `${currentRequest().context.deps.settings.frontendUrl}/auth/${page}?${new URLSearchParams(query)}`;
}

/** People get a page; programs get the error as the standards say. */
export function answerError(ctx: KoaContextWithOIDC, out: ErrorOut): void {
  if (ctx.accepts('json', 'html') === 'html') ctx.redirect(pageUrl('error', { error: out.error }));
  else {
    ctx.type = 'json';
    ctx.body = JSON.stringify(out);
  }
}
