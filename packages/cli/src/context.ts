import { type ClientOptions, createClient, isPlainHttp, type TesseraClient } from '@tessera/client';
import { exitCodes, Failure } from './failure.ts';
import { createOutput, type Output } from './output.ts';
import { alone, type Profile, readProfile, type Tokens, writeProfile } from './profiles.ts';
import { tokensOf } from './service-account.ts';
import { renew } from './sign-in.ts';

export type Globals = { readonly url?: string; readonly scope?: string; readonly profile?: string; readonly json?: boolean };
export type Scope = { readonly tenant: 'account' | 'organization' | 'accountProject' | 'organizationProject'; readonly id: string };
type ProjectScope = Scope & { readonly tenant: 'accountProject' | 'organizationProject' };

type Caller = 'person' | 'API key' | 'service account';

export type Context = {
  readonly client: TesseraClient;
  readonly output: Output;
  /** Who is acting: a person, or a program with its own credential. */
  readonly isPerson: boolean;
  readonly caller: Caller;
  scope(): Scope;
  projectScope(): ProjectScope;
};

const renewBeforeMs = 60_000;

/** `--url`, TESSERA_URL, or that of the profile. */
export function urlOf({ url, profile }: Globals): string {
  const found = url ?? process.env['TESSERA_URL'] ?? readProfile(profileName({ profile }))?.url;
  if (found === undefined)
    throw new Failure('Where is Tessera? Give --url or TESSERA_URL, or run `tessera login --url <address>`.', exitCodes.usage);
  if (!URL.canParse(found)) throw new Failure(`${found} is not an address. It looks like https://iam.example.com.`, exitCodes.usage);
  return found.replace(/\/$/, '');
}

/** An address that passwords and tokens may go to. */
export function safeUrlOf(globals: Globals): string {
  const url = urlOf(globals);
  if (!isPlainHttp(url) || allowsPlainHttp()) return url;
  throw new Failure(`${url} is not encrypted. Use https, or set TESSERA_ALLOW_HTTP=true in a network that you trust.`, exitCodes.usage);
}

function allowsPlainHttp(): boolean {
  return process.env['TESSERA_ALLOW_HTTP'] === 'true';
}

export function profileName({ profile }: { readonly profile?: string | undefined }): string {
  return profile ?? process.env['TESSERA_PROFILE'] ?? 'default';
}

export function openContext(globals: Globals): Context {
  const url = safeUrlOf(globals);
  const stored = readProfile(profileName(globals));
  const { session, caller } = sessionOf(url, profileName(globals), stored);
  const scope = () => parseScope(globals.scope ?? process.env['TESSERA_SCOPE'] ?? stored?.scope);
  return {
    client: createClient({ baseUrl: url, session, allowPlainHttp: allowsPlainHttp() }),
    output: createOutput(globals.json === true),
    isPerson: caller === 'person',
    caller,
    scope,
    projectScope() {
      const { tenant, id } = scope();
      if (tenant === 'organizationProject' || tenant === 'accountProject') return { tenant, id };
      throw new Failure('This needs a project: --scope organizationProject:<organization>:<project>.', exitCodes.usage);
    },
  };
}

type Opened = { readonly session: NonNullable<ClientOptions['session']>; readonly caller: Caller };

/**
 * TESSERA_TOKEN, else TESSERA_CLIENT_ID with its secret or the ID token of a job, else the
 * profile's session. An empty variable is none: a CI leaves those of forks so.
 */
function sessionOf(url: string, name: string, profile: Profile | undefined): Opened {
  const { TESSERA_TOKEN: token, TESSERA_CLIENT_ID: clientId, TESSERA_CLIENT_SECRET: clientSecret, TESSERA_SCOPE: scope } = process.env;
  if (token) return { session: async () => token, caller: 'person' };
  if (!clientId) {
    tokensAt(url, name, profile);
    return { session: () => accessToken(url, name), caller: 'person' };
  }
  if (clientSecret && !clientSecret.startsWith('tas_')) {
    const place = parseScope(scope) as ProjectScope; // the server refuses any other
    return { session: { clientId, clientSecret, scope: place }, caller: 'API key' };
  }
  const tokens = tokensOf(url, clientId, clientSecret || undefined, process.env);
  if (tokens !== undefined) return { session: tokens, caller: 'service account' };
  throw new Failure(
    'TESSERA_CLIENT_ID names who acts, and nothing proves it. Set TESSERA_CLIENT_SECRET or TESSERA_ID_TOKEN; a job of GitHub Actions needs `permissions: { id-token: write }`. To act as the person who is signed in, unset TESSERA_CLIENT_ID.',
    exitCodes.signedOut,
  );
}

/** A session is good at its own address only: its tokens never go to another. */
function tokensAt(url: string, name: string, profile: Profile | undefined): Tokens {
  if (profile?.tokens === undefined) throw new Failure('You are not signed in. Run `tessera login`.', exitCodes.signedOut);
  if (profile.url !== url)
    throw new Failure(`Profile ${name} is signed in at ${profile.url}. Use --profile, or sign in again.`, exitCodes.signedOut);
  return profile.tokens;
}

/**
 * The profile's access token, renewed shortly before its end by one process at a time. The profile
 * is read anew: another command may have signed in elsewhere meanwhile.
 */
async function accessToken(url: string, name: string): Promise<string> {
  const isGood = ({ expiresAt }: Tokens) => expiresAt - renewBeforeMs > Date.now();
  const known = tokensAt(url, name, readProfile(name));
  if (isGood(known)) return known.accessToken;
  return alone(async () => {
    const profile = readProfile(name);
    const held = tokensAt(url, name, profile);
    if (isGood(held)) return held.accessToken;
    const tokens = await renew(url, held.refreshToken);
    writeProfile(name, { ...profile, url, tokens });
    return tokens.accessToken;
  });
}

const tenants = ['account', 'organization', 'accountProject', 'organizationProject'] as const;

/** `organization:<id>`, `organizationProject:<organization>:<project>`, and so on. */
export function parseScope(text: string | undefined): Scope {
  if (text === undefined)
    throw new Failure('Which tenant? Give --scope organization:<id>, set TESSERA_SCOPE, or run `tessera use <scope>`.', exitCodes.usage);
  const [name, ...ids] = text.split(':');
  const tenant = tenants.find((candidate) => candidate === name);
  const isWhole = ids.length === (name?.endsWith('Project') ? 2 : 1) && ids.every((id) => id !== '');
  if (tenant === undefined || !isWhole)
    throw new Failure(
      `${text} is no scope. It is account:<id>, organization:<id>, accountProject:<account>:<project> or organizationProject:<organization>:<project>.`,
      exitCodes.usage,
    );
  return { tenant, id: ids.join(':') };
}
