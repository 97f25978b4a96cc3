/**
 * The cookie with the refresh token. Over https its name has the prefix `__Host-`, so that no other
 * subdomain can set it (RFC 6265bis 4.1.3.2). The name without it is written beside for one
 * release: replicas of the release before read no other.
 */
import type { RequestFacts, ResponseEffects } from '@tessera/kernel/operation';
import type { GroundDeps } from '../ground/deps.ts';
import { hashToken } from '../ground/tokens/opaque-token.ts';
import { findSessionIdOfToken } from './storage/refresh-tokens.ts';

const plainName = 'refresh_token';
const prefixedName = `__Host-${plainName}`;
const longestToken = 200;

/** An empty value with no age removes the cookie. */
export function writeSessionCookie(
  response: Pick<ResponseEffects, 'setCookie'>,
  { appUrl, ...cookie }: { readonly appUrl: string; readonly value: string; readonly maxAgeSeconds: number },
): void {
  const secure = appUrl.startsWith('https:');
  response.setCookie({ name: plainName, ...cookie, secure });
  if (secure) response.setCookie({ name: prefixedName, ...cookie, secure });
}

/** The refresh token that the browser sent as its cookie. */
export async function readSessionCookie(
  { cookies }: Pick<RequestFacts, 'cookies'>,
  { database, settings }: Pick<GroundDeps, 'database' | 'settings'>,
): Promise<string | undefined> {
  const plain = tokenOf(cookies[plainName]);
  const prefixed = settings.appUrl.startsWith('https:') ? tokenOf(cookies[prefixedName]) : undefined;
  if (prefixed === undefined || plain === undefined || plain === prefixed) return prefixed ?? plain;
  // A replica of the release before has refreshed last, or another subdomain has set the plain one.
  const [own, other] = await Promise.all([prefixed, plain].map((token) => findSessionIdOfToken(database, hashToken(token))));
  return own !== undefined && own === other ? plain : prefixed;
}

function tokenOf(value: string | undefined): string | undefined {
  return value === undefined || value === '' || value.length > longestToken ? undefined : value;
}
