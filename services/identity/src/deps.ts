import type { Authorizer } from '@tessera/kernel/authorization';
import type { GrpcClient } from '@tessera/kernel/grpc';
import { defineOperation } from '@tessera/kernel/operation';
import type { Database } from '@tessera/kernel/postgres';
import type Provider from 'oidc-provider';
import type { AuthenticationMethod } from './ground/domain/people.ts';
import type { Checks } from './ground/peers/checks.ts';
import type { InvitationTokens } from './mail/invitation-tokens.ts';
import type { PlatformClient } from './oauth/openid/platform-clients.ts';
import type { OauthParts } from './parts.ts';
import type { Mailer } from './people/mailer.ts';
import type { BreachedPasswords } from './people/passwords/breached.ts';
import type { PasswordHasher } from './people/passwords/password-hasher.ts';
import type { PictureStore } from './people/pictures/picture-store.ts';
import type { AddressCodes } from './sign-in/address-codes.ts';
import type { FactorSecrets } from './sign-in/factors/secrets.ts';
import type { RefusalPace } from './sign-in/refusal-pace.ts';
import type { Revoker } from './sign-in/revoker.ts';
import type { SessionTokens } from './sign-in/session-tokens.ts';

/** The dependencies of operations. `app.ts` composes them. */
export type IdentityDeps = {
  readonly settings: {
    /** The name of this installation, for mails and pages. */
    readonly productName: string;
    readonly appUrl: string;
    readonly frontendUrl: string;
    /** Browsers on these origins may use the session cookie. */
    readonly cookieOrigins: readonly string[];
    readonly verificationMs: number;
    /** How long every proven address is told before a recovery may end. */
    readonly recoveryWaitHours: number;
    /** Whether requests to addresses that apps register may go to private networks. */
    readonly allowPrivateAddresses: boolean;
    /** Undefined unless AUTH_LOCKOUT_ENABLED. */
    readonly lockout: { readonly mostFailures: number; readonly seconds: number } | undefined;
  };
  readonly database: Database;
  /** A person's methods, oldest first. Calls at the same moment share one statement. */
  readonly methodsOf: (userId: string) => Promise<readonly AuthenticationMethod[]>;
  readonly hasher: PasswordHasher;
  readonly refusalPace: RefusalPace;
  readonly breachedPasswords: Pick<BreachedPasswords, 'has'>;
  readonly factorSecrets: FactorSecrets;
  /** Makes and recognises the codes by mail that show whose an address is. */
  readonly addressCodes: AddressCodes;
  readonly invitationTokens: InvitationTokens;
  readonly sessions: SessionTokens;
  /** Derives the successor of a refresh token, so that a repeated request gets the same one. */
  readonly successorsOf: (refreshToken: string) => readonly [string, ...string[]];
  readonly revoker: Revoker;
  /** Whether machine apps may act: shared between requests. */
  readonly checks: Checks;
  readonly mailer: Mailer;
  readonly pictures: PictureStore;
  readonly oauth: OauthParts;
  /** The clients of the platform's own issuer, by their ids. */
  readonly platformClients: ReadonlyMap<string, PlatformClient>;
  /** The OpenID provider of this issuer. */
  readonly openidProviderOf: (issuerUrl: string) => Promise<Provider>;
  readonly authorizer: Authorizer;
  readonly tenancy: Omit<GrpcClient<'tenancy.v1.Tenancy'>, 'close'>;
  readonly roles: Omit<GrpcClient<'rbac.v1.Roles'>, 'close'>;
  readonly tags: Omit<GrpcClient<'rbac.v1.Tags'>, 'close'>;
  readonly keys: Pick<GrpcClient<'keys.v1.Keys'>, 'findLiveApiKeys'>;
};

export const operation = defineOperation<IdentityDeps>();
