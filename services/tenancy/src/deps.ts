import type { Authorizer } from '@tessera/kernel/authorization';
import { defineOperation } from '@tessera/kernel/operation';
import type { Database } from '@tessera/kernel/postgres';
import type { LookUp } from './domains/lookup.ts';
import type { AuditLogs } from './peers/audit-logs.ts';
import type { CascadeCounts } from './peers/cascade-counts.ts';
import type { IdentityClient, RolesClient, TagsClient } from './peers/clients.ts';
import type { Vouchers } from './peers/vouchers.ts';
import type { RequestLog } from './request-log.ts';
import type { DirectoryUser } from './storage/directory-users.ts';
import type { LogReaders } from './storage/ended-organizations.ts';
import type { SearchTotals } from './storage/search-totals.ts';
import type { WebhookSecrets } from './webhooks/secrets.ts';

/** The dependencies of every operation. */
export type TenancyDeps = {
  readonly database: Database;
  readonly authorizer: Authorizer;
  readonly roles: RolesClient;
  readonly tags: TagsClient;
  readonly identity: IdentityClient;
  readonly auditLogs: AuditLogs;
  /** The people who may read the log of an organization now. */
  readonly logReadersOf: (organizationId: string) => Promise<LogReaders>;
  /** How much goes along when these scopes are deleted. */
  readonly countsOf: CascadeCounts;
  readonly searchTotals: SearchTotals;
  readonly invitations: {
    readonly lifetimeDays: number;
    /** Mails that a person may cause in a day, altogether and to one address; 0 is no limit. */
    readonly mostPerDay: number;
    readonly mostPerAddress: number;
  };
  /** For accounts and organizations without limits of their own; 0 is none. */
  readonly quotas: { readonly members: number; readonly projects: number };
  readonly vouchers: Vouchers;
  /** Where clients reach this installation: the addresses of resources of SCIM begin with it. */
  readonly appUrl: string;
  /** Makes the person of a row, if that is to be done. */
  readonly makePerson: (row: DirectoryUser) => Promise<void>;
  /** Notes requests of SCIM. */
  readonly requestLog: RequestLog;
  /** Asks the DNS for the record of a claim. */
  readonly lookUpDomain: LookUp;
  readonly webhooks: {
    readonly secrets: WebhookSecrets;
    readonly allowPrivate: boolean;
    /** Sends what is due. */
    readonly wake: () => void;
  };
};

export const operation = defineOperation<TenancyDeps>();
