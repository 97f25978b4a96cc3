/**
 * Well-known providers: what their documentation says of their addresses. Each is a default of the
 * variable with this name, so that any of them can still be set.
 */
import type { ProfileName } from './profiles.ts';

type Given = (name: 'ISSUER' | 'TENANT') => string | undefined;
type Defaults = Readonly<Record<string, string>>;

/** In the place of a customer of Microsoft, in the issuer of an application for several. */
export const anyTenant = '{tenantid}';
const severalTenants = ['organizations', 'common', 'consumers'];
const guid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

function gitlab(given: Given): Defaults {
  const issuer = given('ISSUER') ?? 'https://gitlab.com';
  return {
    ISSUER: issuer,
    AUTHORIZE_URL: `${issuer}/oauth/authorize`,
    TOKEN_URL: `${issuer}/oauth/token`,
    API_URL: `${issuer}/oauth/userinfo`,
  };
}

/** The issuer is a domain of Okta, or one of its authorization servers: …/oauth2/default. */
function okta(given: Given): Defaults {
  const issuer = given('ISSUER');
  if (issuer === undefined) return {};
  const base = issuer.includes('/oauth2/') ? issuer : `${issuer}/oauth2`;
  return { AUTHORIZE_URL: `${base}/v1/authorize`, TOKEN_URL: `${base}/v1/token`, API_URL: `${base}/v1/userinfo` };
}

function entra(given: Given): Defaults {
  const tenant = given('TENANT') ?? 'organizations';
  const host = 'https://login.microsoftonline.com';
  return {
    ISSUER: `${host}/${severalTenants.includes(tenant) ? anyTenant : tenant}/v2.0`,
    AUTHORIZE_URL: `${host}/${tenant}/oauth2/v2.0/authorize`,
    TOKEN_URL: `${host}/${tenant}/oauth2/v2.0/token`,
    API_URL: 'https://graph.microsoft.com/oidc/userinfo',
  };
}

const ready: Readonly<Partial<Record<ProfileName, (given: Given) => Defaults>>> = {
  github: () => ({
    ISSUER: 'https://github.com/login/oauth',
    AUTHORIZE_URL: 'https://github.com/login/oauth/authorize',
    TOKEN_URL: 'https://github.com/login/oauth/access_token',
    API_URL: 'https://api.github.com',
  }),
  gitlab,
  okta,
  google: () => ({
    ISSUER: 'https://accounts.google.com',
    AUTHORIZE_URL: 'https://accounts.google.com/o/oauth2/v2/auth',
    TOKEN_URL: 'https://oauth2.googleapis.com/token',
    API_URL: 'https://openidconnect.googleapis.com/v1/userinfo',
  }),
  entra,
  apple: () => ({
    ISSUER: 'https://appleid.apple.com',
    AUTHORIZE_URL: 'https://appleid.apple.com/auth/authorize',
    TOKEN_URL: 'https://appleid.apple.com/auth/token',
    // There is no userinfo: the ID token says it all.
    API_URL: 'https://appleid.apple.com/auth/userinfo',
  }),
};

export function readyProfile(profile: string | undefined, given: Given): Defaults {
  const defaults = Object.hasOwn(ready, profile ?? '') ? ready[profile as ProfileName] : undefined;
  return defaults?.(given) ?? {};
}

type Stated = { readonly profile: ProfileName; readonly tenant?: string | undefined } & Readonly<
  Record<'issuer' | 'teamId' | 'keyId' | 'hostedDomain', string | undefined>
>;

/** What a provider needs besides, by the end of the variable's name. */
export function faultsOf({ profile, tenant, issuer, teamId, keyId, hostedDomain }: Stated): string[] {
  const faults: string[] = [];
  // Its tokens name the directory by its id; the word or domain in its place is never in one.
  if (profile === 'entra' && tenant !== undefined && !severalTenants.includes(tenant) && !guid.test(tenant))
    faults.push('TENANT must be the id of a directory, or one of organizations, common, consumers');
  if (profile !== 'entra' && tenant !== undefined) faults.push('TENANT belongs to the profile entra');
  if (profile !== 'google' && hostedDomain !== undefined) faults.push('HOSTED_DOMAIN belongs to the profile google');
  if (profile === 'okta' && issuer === undefined) faults.push('ISSUER is missing: the address of your Okta');
  if (profile === 'apple' && (teamId === undefined || keyId === undefined)) faults.push('TEAM_ID and KEY_ID are missing');
  return faults;
}
