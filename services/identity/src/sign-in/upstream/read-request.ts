import { failures, reasons } from '@tessera/kernel/errors';
import { oneOf, parameter } from '../../ground/parameters.ts';
import type { ProtocolContext } from '../deps.ts';
import { defaultLanding, readLanding } from '../domain/landing.ts';
import type { PlatformFlow } from '../flow.ts';

export type PlatformRequest = Pick<PlatformFlow, 'action' | 'landing' | 'accountType' | 'codeChallenge'> & {
  /** The person must sign in anew at the provider. */
  readonly isFresh: boolean;
};

const known: ReadonlySet<string> = new Set(['action', 'accountType', 'redirect', 'codeChallenge', 'prompt']);
const challengeShape = /^[\w-]{43}$/;

/**
 * The parameters of a sign-in. The landing must be ours or a loopback address before anything
 * redirects. An unknown parameter is refused: a misspelt `redirect` would lead people elsewhere.
 */
export function readRequest({ query, deps }: ProtocolContext): PlatformRequest {
  const unknown = [...query.keys()].find((name) => !known.has(name));
  if (unknown !== undefined) throw failures.validation(unknown.slice(0, 100), reasons.unknownInQuery);
  const action = oneOf(query, 'action', ['login', 'register', 'connect', 'confirm']);
  const accountType = oneOf(query, 'accountType', ['personal', 'organization']);
  const { frontendUrl, appUrl } = deps.settings;
  const redirect = parameter(query, 'redirect');
  const landing = redirect === undefined ? defaultLanding(frontendUrl) : readLanding(redirect, frontendUrl, appUrl);
  if (landing === undefined)
    throw failures.validation('redirect', {
      en: 'must be a page of the frontend or a loopback address',
      de: 'muss eine Seite der Oberfläche oder eine Loopback-Adresse sein',
    });
  const isFresh = action === 'confirm' || promptOf(query) === 'login';
  const codeChallenge = parameter(query, 'codeChallenge');
  if (codeChallenge !== undefined && !challengeShape.test(codeChallenge))
    throw failures.validation('codeChallenge', { en: 'must be a SHA-256 in base64url', de: 'muss ein SHA-256 in base64url sein' });
  // Other programs of this machine may listen at the port: only the one that began uses the code.
  if (landing.kind === 'cli' && codeChallenge === undefined)
    throw failures.validation('codeChallenge', {
      en: 'is required with a loopback address: the SHA-256 of a codeVerifier in base64url',
      de: 'ist bei einer Loopback-Adresse nötig: der SHA-256 eines codeVerifier in base64url',
    });
  return { action, landing, accountType, isFresh, ...(codeChallenge === undefined ? {} : { codeChallenge }) };
}

/** OpenID Connect Core 3.1.2.1; the page of an app that demands a fresh sign-in sends it. */
function promptOf(query: URLSearchParams): 'login' | undefined {
  return query.has('prompt') ? oneOf(query, 'prompt', ['login']) : undefined;
}
