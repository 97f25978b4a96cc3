import type { GuardedFetch } from '@tessera/kernel/guard';
import { defineOperation } from '@tessera/kernel/operation';
import type { Claims } from '@tessera/kernel/tokens';
import type { AppsDeps } from '../apps/deps.ts';
import type { Cache } from '../ground/cache/cache.ts';
import type * as ground from '../ground/context.ts';
import type { OpenidConnections } from './connections/openid-connection.ts';
import type { ArrivedForm, PlatformConnection } from './connections/provider.ts';
import type { ArrivedAnswer } from './connections/saml/saml-connection.ts';
import type { SamlReader } from './connections/saml/saml-reader.ts';
import type {
  ConnectionTestFlow,
  ConnectionTestStart,
  FlowStore,
  PasskeyChallenge,
  PlatformFlow,
  ProjectFlow,
  SignInCode,
} from './flow.ts';
import type { MailedCodes } from './mailed-codes.ts';
import type { RefusalPace } from './refusal-pace.ts';
import type { SecretsAtRest } from './secrets-at-rest.ts';
import type { SessionTokens } from './session-tokens.ts';

export type SignInDeps = AppsDeps & {
  readonly settings: {
    /** The name of this installation, for mails and pages. */
    readonly productName: string;
    /** Browsers on these origins may use the session cookie. */
    readonly cookieOrigins: readonly string[];
    readonly verificationMs: number;
    /** Whether a code by mail is a way to sign in here. */
    readonly hasEmailCodes: boolean;
    /** Whether mails leave this installation; else they stay in a folder of the server. */
    readonly sendsMails: boolean;
    /** How long every proven address is told before a recovery may end. */
    readonly recoveryWaitHours: number;
    /** Undefined unless AUTH_LOCKOUT_ENABLED. */
    readonly lockout: { readonly mostFailures: number; readonly seconds: number } | undefined;
  };
  readonly sessions: SessionTokens;
  /** Derives the successor of a refresh token, so that a repeated request gets the same one. */
  readonly successorsOf: (refreshToken: string) => readonly [string, ...string[]];
  readonly verifyToken: (token: string) => Promise<Claims>;
  readonly refusalPace: RefusalPace;
  readonly counters: Pick<Cache, 'increment' | 'set' | 'has' | 'forget'>;
  readonly factorSecrets: SecretsAtRest;
  readonly passkeyChallenges: FlowStore<PasskeyChallenge>;
  /** Makes and recognises the codes by mail that show whose an address is. */
  readonly addressCodes: MailedCodes;
  /** Those of the codes that sign in. */
  readonly emailCodes: MailedCodes;
  readonly openidConnections: OpenidConnections;
  readonly samlReader: SamlReader;
  /** Verified answers, until the browser comes for them. */
  /** Forms of providers that answer by one, until the browser's own request comes. */
  readonly providerForms: FlowStore<ArrivedForm>;
  readonly samlAnswers: FlowStore<ArrivedAnswer>;
  /** For addresses that tenants register. */
  readonly guardedFetch: GuardedFetch;
  /** Of the clients at the organizations' providers. */
  readonly connectionSecrets: SecretsAtRest;
  /** Of the platform, in the order of the configuration. */
  readonly connections: ReadonlyMap<string, PlatformConnection>;
  readonly platformFlows: FlowStore<PlatformFlow>;
  readonly projectFlows: FlowStore<ProjectFlow>;
  readonly connectionTestStarts: FlowStore<ConnectionTestStart>;
  readonly connectionTestFlows: FlowStore<ConnectionTestFlow>;
  readonly codes: FlowStore<SignInCode>;
};

export type ProtocolContext = ground.ProtocolContext<SignInDeps>;
export const operation = defineOperation<SignInDeps>();
