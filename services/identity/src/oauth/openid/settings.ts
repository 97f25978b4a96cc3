/**
 * The operator's own tools as clients of the platform's issuer ('sign in with Tessera'): a name in
 * OPENID_CLIENTS, and a group of variables that begin like it.
 */
import { type Environment, group, list, type Reader, secret } from '@tessera/kernel/config';
import { isLoopback } from '../../apps/domain/redirect-uri.ts';
import type { OpenidClientSettings } from '../platform-clients.ts';

const nameShape = /^[a-z][a-z0-9-]{0,30}$/;
const ownClients = /^tessera/;

const names = list({
  default: [],
  variable: 'OPENID_CLIENTS',
  about:
    'Names of tools of yours that sign people in by OpenID Connect at <APP_URL>, which are their client ids. Each has ' +
    '<NAME>_OPENID_SECRET, <NAME>_OPENID_REDIRECT_URIS and <NAME>_OPENID_POST_LOGOUT_REDIRECT_URIS',
});

function shapeOf(prefix: string) {
  return {
    secret: secret({ variable: `${prefix}_OPENID_SECRET`, minLength: 32 }),
    redirectUris: list({ variable: `${prefix}_OPENID_REDIRECT_URIS` }),
    postLogoutRedirectUris: list({ variable: `${prefix}_OPENID_POST_LOGOUT_REDIRECT_URIS`, default: [] }),
  };
}

type Read = { readonly faults: readonly string[] } | { readonly value: OpenidClientSettings };

function readOne(environment: Environment, name: string): Read {
  if (!nameShape.test(name) || ownClients.test(name)) return { faults: ['OPENID_CLIENTS holds a name that can not be used'] };
  const prefix = name.toUpperCase().replaceAll('-', '_');
  const reading = group(shapeOf(prefix)).read(environment, '');
  if ('faults' in reading) return reading;
  if (reading.value === undefined) return { faults: [`${prefix}_OPENID_SECRET is missing (OPENID_CLIENTS names it)`] };
  const { redirectUris, postLogoutRedirectUris } = reading.value;
  const isBad = [...redirectUris, ...postLogoutRedirectUris].some((uri) => !isSafe(uri));
  if (isBad || redirectUris.length === 0)
    return { faults: [`${prefix}_OPENID_REDIRECT_URIS must be https addresses, or of this machine, without a fragment`] };
  return { value: { name, ...reading.value } };
}

function isSafe(uri: string): boolean {
  if (!URL.canParse(uri) || uri.includes('#')) return false;
  const url = new URL(uri);
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
}

export function openidClients(): Reader<readonly OpenidClientSettings[]> {
  return {
    entries: () => {
      const members = group(shapeOf(''))
        .entries('')
        .map(({ name }) => name.slice('_'.length));
      return names.entries('OPENID_CLIENTS').map((entry) => ({ ...entry, members }));
    },
    read(environment) {
      const named = names.read(environment, 'OPENID_CLIENTS');
      if ('faults' in named) return named;
      const readings = named.value.map((name) => readOne(environment, name));
      const faults = readings.flatMap((reading) => ('faults' in reading ? reading.faults : []));
      return faults.length > 0 ? { faults } : { value: readings.flatMap((reading) => ('value' in reading ? [reading.value] : [])) };
    },
  };
}
