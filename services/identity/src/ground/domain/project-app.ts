import type { Subject } from '@tessera/kernel/authorization';
import type { Scope } from '@tessera/kernel/scope';
import type { AppType, AuthMethod, GrantType, IdTokenAlgorithm } from '@tessera/rules/app-types';
import type { ClaimMapping } from '@tessera/rules/claims';
import { emailProvider } from './people.ts';

export type ProjectScope = Scope & { readonly tenant: 'accountProject' | 'organizationProject' };

/**
 * Who answers for an app, and by what: the subject that last directed it. `appId` is the app that
 * its token was for.
 */
export type Voucher = Subject & { readonly appId?: string };

/** Claims that a token had no room for, and when. */
export type LeftOutClaims = { readonly names: readonly string[]; readonly at: string };

/** Public keys (RFC 7517 section 5). */
export type Jwks = { readonly keys: readonly Readonly<Record<string, unknown>>[] };

export type ProjectApp = {
  readonly id: string;
  readonly clientId: string;
  readonly scope: ProjectScope;
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly scopes: readonly string[];
  /** Empty: every provider that is configured. */
  readonly enabledProviders: readonly string[];
  readonly allowSignUp: boolean;
  readonly signUpRoleId: string | null;
  readonly createdBy: string;
  /** The user of the voucher, also of the last one of an app that is stopped. */
  readonly vouchedBy: string;
  /** Who last set where its tokens go, what they allow and who may sign up; null: it is stopped. */
  readonly voucher: Voucher | null;
  /** Null: an app of the specification's fragment flow. Never changes. */
  readonly type: AppType | null;
  /** Null exactly when the app has no type. */
  readonly tokenEndpointAuthMethod: AuthMethod | null;
  /** The app's public keys, or where they are: one of both at most. */
  readonly jwks: Jwks | null;
  readonly jwksUri: string | null;
  readonly postLogoutRedirectUris: readonly string[];
  readonly backchannelLogoutUri: string | null;
  readonly grantTypes: readonly GrantType[];
  /** The rights of a machine app; null for every other. */
  readonly roleId: string | null;
  /** Signs in without the consent page. */
  readonly isFirstParty: boolean;
  /** Demands aal2. */
  readonly requireSecondFactor: boolean;
  /** False for a web app alone: its requests without PKCE need a nonce. */
  readonly requirePkce: boolean;
  /** A machine app that also acts for organizations that use its project. */
  readonly actsInGrants: boolean;
  /** A person of no organization that uses the project may make one as they sign in. */
  readonly allowOrganizationSignUp: boolean;
  /** Whether people may sign in to it by a code that is mailed to them. */
  readonly allowEmailCode: boolean;
  /** Gets tokens that are bound to a key, and no others (RFC 9449 section 5.2). */
  readonly dpopBoundAccessTokens: boolean;
  /** How its ID tokens and logout tokens are signed. */
  readonly idTokenSignedResponseAlg: IdTokenAlgorithm;
  /** Client ids of the apps of the project that may exchange tokens of this one. */
  readonly mayAct: readonly string[];
  /** Claims that it gets besides the standard ones. */
  readonly claims: readonly ClaimMapping[];
  /** Of the newest token that had no room for one; null since the claims were changed. */
  readonly leftOutClaims: LeftOutClaims | null;
  /**
   * Where the document of the client is: its client id in OAuth, in each project that lets it in.
   * Null for an app that was registered.
   */
  readonly documentUrl: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly deletedAt: string | null;
};

/** The client id that OAuth knows. */
export function oauthIdOf({ documentUrl, clientId }: Pick<ProjectApp, 'documentUrl' | 'clientId'>): string {
  return documentUrl ?? clientId;
}

/** What an app of the specification's fragment flow has in the fields of OpenID clients. */
export const untyped = {
  type: null,
  tokenEndpointAuthMethod: null,
  jwks: null,
  jwksUri: null,
  backchannelLogoutUri: null,
  roleId: null,
  postLogoutRedirectUris: [],
  grantTypes: [],
  isFirstParty: false,
  requireSecondFactor: false,
  requirePkce: true,
  actsInGrants: false,
  allowOrganizationSignUp: false,
  allowEmailCode: true,
  dpopBoundAccessTokens: false,
  idTokenSignedResponseAlg: 'RS256',
  mayAct: [],
  claims: [],
} as const satisfies Partial<ProjectApp>;

/** Where people find the app on the web: the origin of its first address there. */
export function originOf({ type, redirectUris }: Pick<ProjectApp, 'type' | 'redirectUris'>): string | null {
  if (type === 'native' || type === 'machine') return null;
  const first = redirectUris.find((uri) => /^https?:/.test(uri));
  return first === undefined ? null : new URL(first).origin;
}

/**
 * The providers that people may use for an app. `configured` are the OAuth providers; mail is
 * always configured.
 */
export function allowedProviders({ enabledProviders }: Pick<ProjectApp, 'enabledProviders'>, configured: readonly string[]): string[] {
  const all = [...configured, emailProvider];
  return enabledProviders.length === 0 ? all : all.filter((name) => enabledProviders.includes(name));
}

/**
 * The provider of a sign-in: the requested one, or the first that the app allows. Undefined when it
 * is not allowed.
 */
export function chooseProvider(
  app: Pick<ProjectApp, 'enabledProviders'>,
  configured: readonly string[],
  requested: string | undefined,
): string | undefined {
  const allowed = allowedProviders(app, configured);
  return requested === undefined ? allowed[0] : allowed.find((name) => name === requested);
}

/** Exactly one of the app's own, character by character (RFC 9700 section 2.1). */
export function allowsRedirect({ redirectUris }: Pick<ProjectApp, 'redirectUris'>, redirectUri: string): boolean {
  return redirectUris.includes(redirectUri);
}

/** The scopes of a token: those of the app that the user holds. Without any the list is empty. */
export function cappedScopes(
  { scopes }: Pick<ProjectApp, 'scopes'>,
  held: readonly { readonly resource: string; readonly action: string }[],
): string[] {
  const may = new Set(held.map(({ resource, action }) => `${resource}:${action}`));
  return scopes.filter((scope) => may.has(scope));
}
