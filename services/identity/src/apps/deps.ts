import type { GrpcClient } from '@tessera/kernel/grpc';
import { defineOperation } from '@tessera/kernel/operation';
import type { PeopleDeps } from '../people/deps.ts';
import type { Revoker } from './revoker.ts';

export type AppsDeps = PeopleDeps & {
  readonly settings: {
    /** Whether requests to addresses that apps register may go to private networks. */
    readonly allowPrivateAddresses: boolean;
  };
  readonly revoker: Revoker;
  /** The providers that an app may allow. */
  readonly connectionNames: readonly string[];
  /** Who may do something, for mails to Owners. */
  readonly subjects: Pick<GrpcClient<'rbac.v1.Authorization'>, 'findSubjects'>;
  readonly keys: Pick<GrpcClient<'keys.v1.Keys'>, 'findLiveApiKeys'>;
};

export const operation = defineOperation<AppsDeps>();
