/**
 * The configuration of identity providers. Another provider is a name in OAUTH_PROVIDERS and a
 * group of variables that begin like it.
 */
import { type Config, choice, type Environment, group, list, type Reader, secret, text, url } from '@tessera/kernel/config';
import { isLoopback } from '../../apps/domain/redirect-uri.ts';
import { readAppleKey } from './apple-secret.ts';
import { faultsOf, readyProfile } from './ready-profiles.ts';

export const codehost = 'codehost';

function shapeOf(prefix: string) {
  const variable = <const Name extends string>(name: Name) => ({ variable: `${prefix}_${name}` });
  const optional = { optional: true } as const;
  return {
    clientId: text({ ...variable('CLIENT_ID'), about: 'Registered at the provider' }),
    clientSecret: secret({ ...variable('CLIENT_SECRET'), about: 'Goes with it; for the profile apple the content of the .p8 file' }),
    authorizeUrl: url({ ...variable('AUTHORIZE_URL'), about: 'Where people sign in' }),
    tokenUrl: url({ ...variable('TOKEN_URL'), about: 'Where a code is exchanged' }),
    apiUrl: url({
      ...variable('API_URL'),
      about: 'Where the profile is read: <API_URL>/user and /user/emails, or the userinfo endpoint (openid)',
    }),
    callbackUrl: url({
      ...variable('CALLBACK_URL'),
      ...optional,
      about: 'Registered at the provider for the platform, below <APP_URL>/api/auth',
    }),
    projectCallbackUrl: url({ ...variable('PROJECT_CALLBACK_URL'), ...optional, about: 'The same for project apps' }),
    issuer: text({
      ...variable('ISSUER'),
      ...optional,
      about: 'What the provider calls itself; AUTHORIZE_URL without its last part when left out',
    }),
    profile: choice(['codehost', 'openid', 'github', 'gitlab', 'okta', 'google', 'entra', 'apple'], {
      ...variable('PROFILE'),
      default: 'codehost',
      about: 'How it tells who signed in; a well-known provider needs no addresses',
    }),
    tenant: text({
      ...variable('TENANT'),
      ...optional,
      about: 'Profile entra: id of the directory, or organizations (when left out), common or consumers',
    }),
    hostedDomain: text({ ...variable('HOSTED_DOMAIN'), ...optional, about: 'Profile google: the Workspace whose people alone may come' }),
    teamId: text({ ...variable('TEAM_ID'), ...optional, about: 'Profile apple: the team' }),
    keyId: text({ ...variable('KEY_ID'), ...optional, about: 'Profile apple: the key in CLIENT_SECRET' }),
    scopes: text({ ...variable('SCOPES'), ...optional, about: 'Asked of the provider, separated by spaces' }),
    clientAuthentication: choice(['post', 'basic'], {
      ...variable('CLIENT_AUTHENTICATION'),
      default: 'post',
      about: 'How the secret goes to TOKEN_URL: in the body, or as Basic',
    }),
  };
}

export type ProviderSettings = Config<ReturnType<typeof shapeOf>> & { readonly name: string };

const nameShape = /^[a-z][a-z0-9-]{0,30}$/;
/** The paths below /api/auth, and the name of sign-in by mail: no provider can have these names. */
const taken = new Set([
  'email',
  'login',
  'register',
  'refresh',
  'logout',
  'token',
  'project',
  'cli-callback',
  'verify-email',
  'permissions',
  'options',
  'connections',
]);

function prefixOf(name: string) {
  return name.toUpperCase().replaceAll('-', '_');
}
const further = list({ default: [], variable: 'OAUTH_PROVIDERS', about: 'Names of identity providers besides codehost' });

function readOne(environment: Environment, name: string, isNamed: boolean) {
  if (!nameShape.test(name) || taken.has(name)) return { faults: [`OAUTH_PROVIDERS holds a name that can not be used`] };
  const prefix = prefixOf(name);
  const reading = group(shapeOf(prefix)).read(withReady(environment, prefix), '');
  if ('faults' in reading) return reading;
  if (reading.value === undefined)
    return isNamed ? { faults: [`${prefixOf(name)}_CLIENT_ID is missing (OAUTH_PROVIDERS names it)`] } : { value: [] };
  const faults = [...insecureUrls(prefix, reading.value), ...faultsOf(reading.value).map((fault) => `${prefix}_${fault}`)];
  if (reading.value.profile === 'apple' && readAppleKey(reading.value.clientSecret) === undefined)
    faults.push(`${prefix}_CLIENT_SECRET must be the private key of Apple's .p8 file (EC P-256)`);
  return faults.length > 0 ? { faults } : { value: [{ ...reading.value, name }] };
}

/** The addresses of a well-known provider, where the environment names no others. */
function withReady(environment: Environment, prefix: string): Environment {
  const given = (name: string) => environment[`${prefix}_${name}`] || undefined;
  // Without a client there is no provider, whatever else is set.
  if (given('CLIENT_ID') === undefined) return environment;
  const defaults = Object.entries(readyProfile(given('PROFILE'), given)).filter(([name]) => given(name) === undefined);
  return { ...environment, ...Object.fromEntries(defaults.map(([name, value]) => [`${prefix}_${name}`, value])) };
}

/** Secrets go to these addresses: over TLS, or to this machine. */
function insecureUrls(prefix: string, { authorizeUrl, tokenUrl, apiUrl }: Pick<ProviderSettings, 'authorizeUrl' | 'tokenUrl' | 'apiUrl'>) {
  return Object.entries({ AUTHORIZE_URL: authorizeUrl, TOKEN_URL: tokenUrl, API_URL: apiUrl })
    .filter(([, address]) => !address.startsWith('https:') && !isLoopback(new URL(address)))
    .map(([name]) => `${prefix}_${name} must begin with https:`);
}

/** All providers that are configured, codehost first. */
export function oauthProviders(): Reader<readonly ProviderSettings[]> {
  return {
    entries: () => {
      const ofCodehost = group(shapeOf('CODEHOST')).entries('');
      const members = ofCodehost.map(({ name }) => name.slice('CODEHOST_'.length));
      return [...ofCodehost, ...further.entries('OAUTH_PROVIDERS').map((entry) => ({ ...entry, members }))];
    },
    read(environment) {
      const names = further.read(environment, 'OAUTH_PROVIDERS');
      const named = 'value' in names ? names.value.filter((name) => name !== codehost) : [];
      const readings = [readOne(environment, codehost, false), ...named.map((name) => readOne(environment, name, true))];
      const faults = readings.flatMap((reading) => ('faults' in reading ? reading.faults : []));
      return faults.length > 0 ? { faults } : { value: readings.flatMap((reading) => ('value' in reading ? reading.value : [])) };
    },
  };
}

/**
 * The specification: callbacks are paths under <api_base>/api/auth, so that one registration at the
 * provider covers both.
 */
export function callbackRule(config: {
  readonly APP_URL: string;
  readonly oauthProviders: readonly ProviderSettings[];
}): string | undefined {
  const base = `${config.APP_URL}/api/auth/`;
  const outside = config.oauthProviders.flatMap(({ name, callbackUrl, projectCallbackUrl }) =>
    Object.entries({ CALLBACK_URL: callbackUrl, PROJECT_CALLBACK_URL: projectCallbackUrl }).flatMap(([variable, address]) =>
      address === undefined || new URL(address).href.startsWith(base) ? [] : [`${prefixOf(name)}_${variable}`],
    ),
  );
  return outside.length === 0 ? undefined : `${outside.join(', ')} must lie below ${'<APP_URL>/api/auth/'}`;
}

export function callbacksOf({ name, callbackUrl, projectCallbackUrl }: Omit<ProviderSettings, 'clientSecret'>, appUrl: string) {
  return {
    platform: callbackUrl ?? `${appUrl}/api/auth/${name}/callback`,
    project: projectCallbackUrl ?? `${appUrl}/api/auth/project/callback`,
  };
}
