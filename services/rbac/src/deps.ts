import { defineOperation } from '@tessera/kernel/operation';
import type { Database } from '@tessera/kernel/postgres';
import type { RequestQuota } from '@tessera/kernel/quota';
import type { Decider } from './decisions/decider.ts';
import type { UserMetadata } from './decisions/user-metadata.ts';
import type { Person } from './domain/person.ts';
import type { Machines } from './peers/machines.ts';
import type { Places } from './storage/places.ts';
import type { RightsCache } from './storage/rights-cache.ts';
import type { TenantChanges } from './storage/tenants.ts';

export type RbacDeps = {
  /** The public address of the platform. */
  readonly appUrl: string;
  readonly database: Database;
  readonly places: Places;
  readonly rights: RightsCache;
  readonly tenants: TenantChanges;
  readonly decider: Decider;
  readonly requests: Pick<RequestQuota, 'admit'>;
  readonly userMetadata: UserMetadata;
  readonly machines: Machines;
  /** Changes of what large groups of a directory give. */
  readonly directoryChanges: { readonly wake: () => void };
  /** Users by id; unknown ones are left out. */
  readonly findPeople: (userIds: readonly string[]) => Promise<readonly Person[]>;
};

export const operation = defineOperation<RbacDeps>();
