/** A person types the code that their device shows (RFC 8628 section 3.3). */
import { randomBytes } from 'node:crypto';
import { failures } from '@tessera/kernel/errors';
import type { OperationContext, ResponseEffects } from '@tessera/kernel/operation';
import { parseScope } from '@tessera/kernel/scope';
import { bindBrowser } from '../../ground/browser-binding.ts';
import { browserSession } from '../../sign-in/browser-session.ts';
import type { OauthDeps } from '../deps.ts';
import { claimCode, findPendingCode } from '../storage/openid-device-codes.ts';
import { bindingName } from './binding.ts';
import { callProvider } from './call-provider.ts';
import { paths } from './configuration.ts';
import { digestOfUserCode, normalUserCode } from './device-codes.ts';
import { type AskedInteraction, openInteraction } from './interactions.ts';
import { issuerOfUrl } from './issuer.ts';
import { OpenidMessage } from './request.ts';

const bindingSeconds = 3_600;

type Cookie = Parameters<ResponseEffects['setCookie']>[0];

export type EnteredDevice = { readonly id: string; readonly asked: AskedInteraction };

/**
 * Begins the interaction, in this browser alone. Unknown, expired, answered and taken by another
 * browser are one refusal, so that a guess learns nothing.
 */
export async function enterUserCode(typed: string, context: OperationContext<OauthDeps>): Promise<EnteredDevice> {
  const { deps, request, response, now } = context;
  const { appUrl, cookieOrigins } = deps.settings;
  if (request.origin !== undefined && !cookieOrigins.includes(request.origin)) throw failures.forbidden();
  const userCode = normalUserCode(typed);
  const code = await findPendingCode(deps.database, digestOfUserCode(userCode), now);
  const issuer = code && issuerOfUrl(code.issuer, appUrl);
  if (code === undefined || issuer === undefined) throw failures.badInput();
  // A refusal sets no cookie: it would tell that the code is one.
  const cookies: Cookie[] = [];
  const browser = bindBrowser(request, { setCookie: (cookie) => cookies.push(cookie) }, appUrl, bindingSeconds, bindingName(issuer));
  if (!(await claimCode(deps.database, code, browser))) throw failures.badInput();
  for (const cookie of cookies) response.setCookie(cookie);

  const provider = await deps.openidProviderOf(issuer.url);
  const scope = issuer.scope === undefined ? {} : { scope: parseScope(issuer.scope) };
  const cameFrom = { fetchSite: undefined, referer: undefined };
  const formSecret = randomBytes(24).toString('hex');
  const openid = {
    issuer,
    browser,
    formSecret,
    presented: undefined,
    isExchange: false,
    apps: new Map(),
    secrets: new Map(),
    session: await browserSession(context),
    context: { deps, now, request, response, query: new URLSearchParams(), cameFrom, ...scope },
  };
  const { host, protocol } = new URL(appUrl);
  const headers = {
    host,
    accept: 'text/html',
    'content-type': 'application/x-www-form-urlencoded',
    'x-forwarded-host': host,
    'x-forwarded-proto': protocol.slice(0, -1),
  };
  const body = new URLSearchParams({ xsrf: formSecret, user_code: userCode, confirm: 'yes' }).toString();
  const answer = await callProvider(provider, new OpenidMessage({ method: 'POST', url: paths.code_verification, headers, body }, openid));
  const { location } = answer.headers;
  const { searchParams: shown } = new URL(typeof location === 'string' ? location : appUrl);
  const id = shown.get('interaction');
  // The person is no user of the project, or the app has no voucher.
  if (shown.get('error') === 'access_denied') throw failures.forbidden();
  // The code ended meanwhile, or its app is gone.
  if (id === null) throw failures.badInput();
  return { id, asked: await openInteraction(id, context) };
}
