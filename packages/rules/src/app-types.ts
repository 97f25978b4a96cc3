/**
 * What an app of each type may choose (OpenID Connect Dynamic Registration 1.0 section 2, RFC 8252,
 * RFC 9700).
 */
export const appTypes = ['web', 'spa', 'native', 'machine'] as const;
export type AppType = (typeof appTypes)[number];
export const authMethods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'] as const;
export type AuthMethod = (typeof authMethods)[number];
export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
/** RFC 8693: the app acts for a person by a token of another app. */
export const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';
export const grantTypes = ['authorization_code', 'refresh_token', 'client_credentials', deviceGrant, exchangeGrant] as const;
export type GrantType = (typeof grantTypes)[number];

/** How ID tokens and logout tokens may be signed; access tokens are always RS256. */
export const idTokenAlgorithms = ['RS256', 'ES256'] as const;
export type IdTokenAlgorithm = (typeof idTokenAlgorithms)[number];

export type TypeRules = { readonly methods: readonly AuthMethod[]; readonly grants: readonly GrantType[] };

const confidential: readonly AuthMethod[] = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'];
/** The first method and all grants but the exchange of tokens are the defaults of the type. */
const rulesOf: Readonly<Record<AppType, TypeRules>> = {
  web: { methods: confidential, grants: ['authorization_code', 'refresh_token', exchangeGrant] },
  spa: { methods: ['none'], grants: ['authorization_code', 'refresh_token'] },
  native: { methods: ['none'], grants: ['authorization_code', 'refresh_token', deviceGrant] },
  machine: { methods: confidential, grants: ['client_credentials', exchangeGrant] },
};

export function defaultsOf(type: AppType): { tokenEndpointAuthMethod: AuthMethod; grantTypes: readonly GrantType[] } {
  const { methods, grants } = rulesOf[type];
  return { tokenEndpointAuthMethod: methods[0] ?? 'none', grantTypes: grants.filter((grant) => grant !== exchangeGrant) };
}

/** What an app of a type may choose from. */
export function choicesOf(type: AppType): TypeRules {
  return rulesOf[type];
}

/** Only these types have client secrets; an app that signs its requests needs none. */
export function hasSecrets({
  type,
  tokenEndpointAuthMethod,
}: {
  readonly type: AppType | null;
  readonly tokenEndpointAuthMethod: AuthMethod | null;
}): boolean {
  return (type === 'web' || type === 'machine') && tokenEndpointAuthMethod !== 'private_key_jwt';
}
