import type { Relay } from '@tessera/kernel/events';
import type { GrpcClient } from '@tessera/kernel/grpc';
import type { Database } from '@tessera/kernel/postgres';
import type { Background } from './background.ts';
import type { RequestCounts } from './request-counts.ts';

/** What every room may use. */
export type GroundDeps = {
  readonly settings: {
    readonly appUrl: string;
    readonly frontendUrl: string;
  };
  readonly database: Database;
  readonly logger: { error(details: object, message: string): void; warn(details: object, message: string): void };
  readonly background: Background;
  /** Requests that any caller may send, counted in one audit row a minute. */
  readonly requestCounts: RequestCounts;
  /** False when a subscriber has not applied the events yet. */
  readonly deliver: Relay['deliver'];
  readonly tenancy: Omit<GrpcClient<'tenancy.v1.Tenancy'>, 'close'>;
  readonly roles: Omit<GrpcClient<'rbac.v1.Roles'>, 'close'>;
  readonly tags: Omit<GrpcClient<'rbac.v1.Tags'>, 'close'>;
  readonly catalogue: Pick<GrpcClient<'rbac.v1.Catalogue'>, 'checkActions' | 'describeActions' | 'findResourceServer'>;
};
