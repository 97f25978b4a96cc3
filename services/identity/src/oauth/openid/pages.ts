/** Where the browser goes: to the hosted pages. */
import type { ErrorOut, Interaction, KoaContextWithOIDC } from 'oidc-provider';
import { auditError } from './audit.ts';
import { organizationPrompt } from './organizations.ts';
import { openidOf } from './request.ts';

const pageOf: Readonly<Record<string, string>> = { login: 'sign-in', [organizationPrompt]: 'organization', consent: 'project/consent' };

/** The page asks GET /api/auth/interactions/{id} what to show. */
export function interactionUrl(ctx: KoaContextWithOIDC, { uid, prompt }: Interaction): string {
  const page = prompt.name === 'consent' && ctx.oidc.deviceCode !== undefined ? 'device' : pageOf[prompt.name];
  return pageUrl(ctx, page ?? 'error', { interaction: uid });
}

export function pageUrl(ctx: Pick<KoaContextWithOIDC, 'req'>, page: string, query: Readonly<Record<string, string>> = {}): string {
  const address = `${openidOf(ctx).context.deps.settings.frontendUrl}/auth/${page}`;
  const parameters = new URLSearchParams(query);
  return parameters.size === 0 ? address : `${address}?${parameters}`;
}

/** People get a page; programs get the error as the standards say. */
export function answerError(ctx: KoaContextWithOIDC, out: ErrorOut): void {
  if (ctx.accepts('json', 'html') === 'html') ctx.redirect(pageUrl(ctx, 'error', { error: out.error }));
  else {
    ctx.type = 'json';
    ctx.body = JSON.stringify(out);
  }
}

/** The device has its answer; the page says that the person may go back to it. */
export function showDeviceDone(ctx: KoaContextWithOIDC): void {
  ctx.redirect(pageUrl(ctx, 'device', { done: 'allowed' }));
}

/** The device is refused, by the person or by a rule. The library audits neither. */
export function answerDeviceError(ctx: KoaContextWithOIDC, _form: string, out?: ErrorOut, error?: Error): void {
  // Without a cause another answer was first.
  const cause = error?.cause instanceof Error ? error.cause : undefined;
  const isAnswer = cause !== undefined && ctx.oidc.entities.Interaction?.result?.error !== undefined;
  if (!isAnswer && cause !== undefined) auditError('device_authorization.error', ctx, cause);
  ctx.redirect(isAnswer ? pageUrl(ctx, 'device', { done: 'refused' }) : pageUrl(ctx, 'error', { error: codeOf(out, error) }));
}

function codeOf(out: ErrorOut | undefined, error: Error | undefined): string {
  const { error: cause } = (error?.cause ?? {}) as { readonly error?: string };
  return cause ?? out?.error ?? 'invalid_request';
}
