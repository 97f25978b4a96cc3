import type { GrpcClient } from '@tessera/kernel/grpc';
import type { Claims } from '@tessera/kernel/tokens';
import type { SignRequest } from '@tessera/proto/types/keys.v1';
import type { Background } from './ground/background.ts';
import type { Cache } from './ground/cache/cache.ts';
import type { RequestCounts } from './ground/request-counts.ts';
import type { ConfiguredProvider } from './sign-in/connections/provider.ts';
import type { FlowStore, PasskeyChallenge, PlatformFlow, ProjectFlow, SignInCode } from './sign-in/upstream/flow.ts';

/**
 * The dependencies of the OAuth endpoints beyond those of all operations. `app.ts` composes them.
 */
export type OauthParts = {
  /** In the order of the configuration. */
  readonly providers: ReadonlyMap<string, ConfiguredProvider>;
  readonly platformFlows: FlowStore<PlatformFlow>;
  readonly projectFlows: FlowStore<ProjectFlow>;
  readonly codes: FlowStore<SignInCode>;
  readonly passkeyChallenges: FlowStore<PasskeyChallenge>;
  readonly counters: Pick<Cache, 'increment' | 'set' | 'has' | 'forget'>;
  /** The page where a person enters the address for a magic link. */
  readonly emailEntryUrl: string;
  readonly accessTokenSeconds: number;
  readonly background: Background;
  readonly requestCounts: RequestCounts;
  readonly sign: (request: SignRequest) => Promise<{ readonly token: string; readonly expiresAt: number }>;
  readonly verifyToken: (token: string) => Promise<Claims>;
  readonly permissions: Pick<GrpcClient<'rbac.v1.Authorization'>, 'listPermissions'>;
  readonly catalogue: Pick<GrpcClient<'rbac.v1.Catalogue'>, 'checkActions' | 'describeActions'>;
  /** False when a subscriber has not applied the events yet. */
  readonly deliver: (eventIds: readonly string[]) => Promise<boolean>;
  readonly logger: { error(details: object, message: string): void; warn(details: object, message: string): void };
};
