/**
 * The clients of the platform's own issuer: the command line and the operator's tools.
 */

import { timingSafeEqual } from 'node:crypto';
import { deviceGrant } from '@tessera/rules/app-types';
import type { AllClientMetadata } from 'oidc-provider';
import { hashToken } from '../ground/tokens/opaque-token.ts';
import { standardScopes } from './standard-scopes.ts';

export type PlatformClient = {
  readonly clientId: string;
  readonly name: string;
  readonly metadata: AllClientMetadata;
  /**
   * Its tokens are those of a session of its own, with the rights of the person; others open
   * userinfo only.
   */
  readonly opensSessions: boolean;
  /** No consent page. */
  readonly isFirstParty: boolean;
  readonly secretDigest: Buffer | undefined;
};

/** A tool of the operator, from the configuration. */
export type OpenidClientSettings = {
  readonly name: string;
  readonly secret: string;
  readonly redirectUris: readonly string[];
  readonly postLogoutRedirectUris: readonly string[];
};

const publicClient = { token_endpoint_auth_method: 'none', response_types: ['code'], scope: standardScopes.join(' ') } as const;

function commandLine(): PlatformClient {
  const clientId = 'tessera-cli';
  const metadata = {
    ...publicClient,
    client_id: clientId,
    client_name: 'Tessera CLI',
    application_type: 'native' as const,
    grant_types: ['authorization_code', 'refresh_token', deviceGrant],
    // RFC 8252 section 7.3: any port.
    redirect_uris: ['http://127.0.0.1/callback', 'http://[::1]/callback'],
  };
  return { clientId, name: 'Tessera CLI', metadata, opensSessions: true, isFirstParty: false, secretDigest: undefined };
}

function toolOf({ name, secret, redirectUris, postLogoutRedirectUris }: OpenidClientSettings): PlatformClient {
  const metadata = {
    client_id: name,
    client_name: name,
    application_type: 'web' as const,
    scope: standardScopes.join(' '),
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code' as const],
    redirect_uris: [...redirectUris],
    post_logout_redirect_uris: [...postLogoutRedirectUris],
    token_endpoint_auth_method: 'client_secret_basic' as const,
    client_secret: 'kept as a digest only',
  };
  return { clientId: name, name, metadata, opensSessions: false, isFirstParty: true, secretDigest: hashToken(secret) };
}

export function platformClientsOf(tools: readonly OpenidClientSettings[]): ReadonlyMap<string, PlatformClient> {
  return new Map([commandLine(), ...tools.map(toolOf)].map((client) => [client.clientId, client]));
}

export function isPlatformSecret({ secretDigest }: PlatformClient, secret: string): boolean {
  return secretDigest !== undefined && timingSafeEqual(secretDigest, hashToken(secret));
}
