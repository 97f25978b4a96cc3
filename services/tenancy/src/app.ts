import { everySeconds, startJob } from '@tessera/kernel/events';
import { openRequestQuota } from '@tessera/kernel/quota';
import { type Kernel, type RunningService, type ServiceParts, startService } from '@tessera/server/lifecycle';
import type { TenancyConfig } from './config.ts';
import type { TenancyDeps } from './deps.ts';
import { createMaker, makeUnmade } from './directory/make-person.ts';
import { createDomainCheck } from './domains/check.ts';
import { createWriteLetters } from './domains/letters.ts';
import { createLookUp } from './domains/lookup.ts';
import { resumeAccountClosures } from './operations/account-closure/resume-account-closures.ts';
import { operations } from './operations/index.ts';
import { createCascadeCounts } from './peers/cascade-counts.ts';
import { createAddressesOfOwners } from './peers/owners.ts';
import { withRoleChangeNotices } from './peers/role-changes.ts';
import { createVouchers } from './peers/vouchers.ts';
import { createRequestLog } from './request-log.ts';
import * as entities from './storage/entities/index.ts';
import { foldMemberCounts, pruneDeleted } from './storage/retention.ts';
import { createSearchTotals } from './storage/search-totals.ts';
import { createEventHandlers } from './subscriptions.ts';
import { subgraph } from './transport/graphql.ts';
import { tenancyService } from './transport/grpc/tenancy.ts';
import { serveAuditExport } from './transport/protocol/audit-export.ts';
import { serveScim } from './transport/scim/serve.ts';
import { createDeliverer } from './webhooks/deliverer.ts';
import { startWebhookJobs } from './webhooks/jobs.ts';
import { createTellOwners } from './webhooks/owners.ts';
import { createWebhookSecrets } from './webhooks/secrets.ts';
import { createSender } from './webhooks/sender.ts';
import { createVouching } from './webhooks/vouching.ts';

const resumeIntervalMs = 4_000;

export function startTenancy(config: TenancyConfig): Promise<RunningService> {
  return startService(config, { name: 'tenancy', operations, entities, compose: (kernel) => compose(config, kernel) });
}

function compose(config: TenancyConfig, kernel: Kernel): ServiceParts<TenancyDeps> {
  const { database, relay, peers, authorizer, notices, logger, clock } = kernel;
  const { identity, tags, auditLogs } = peers;
  const roles = withRoleChangeNotices(peers.roles, notices);
  const searchTotals = createSearchTotals();
  const requests = openRequestQuota(config, kernel);
  const quotas = { members: config.QUOTA_MEMBERS, projects: config.QUOTA_PROJECTS };
  const invitations = {
    lifetimeDays: config.INVITATION_EXPIRATION_DAYS,
    mostPerDay: config.QUOTA_INVITATIONS,
    mostPerAddress: config.QUOTA_INVITATIONS_PER_ADDRESS,
  };
  const grpcDeps = { database, relay, roles, searchTotals, quotas, invitations };
  const retention = startJob({
    db: database,
    logger,
    name: 'retention',
    schedule: everySeconds(3_600),
    run: async (tx) => {
      await foldMemberCounts(tx);
      return () => pruneDeleted(database);
    },
  });
  // All replicas may resume at once: each closure locks the person's row.
  const resume = () =>
    resumeAccountClosures(grpcDeps, logger).catch((error: unknown) =>
      logger.error({ err: error }, 'stale account closures could not be read'),
    );
  const resuming = setInterval(resume, resumeIntervalMs).unref();
  void resume();
  const secrets = createWebhookSecrets(config.WEBHOOK_SECRETS ?? config.INTERNAL_AUTH_SECRET);
  const vouchers = createVouchers({ authorizer, identity, keys: peers.keys, reader: database, notices });
  const addressesOfOwners = createAddressesOfOwners({ db: database, authorization: peers.authorization });
  const telling = { db: database, addressesOfOwners, appUrl: config.APP_URL };
  const tellOwners = createTellOwners(telling);
  const logReadersOf = async (id: string) => {
    const scope = { tenant: 'organization', id };
    const question = { type: 'user', scope, resource: 'AuditEvent', targetJson: '', cursor: '', limit: 1_000 };
    const [readers, exporters] = await Promise.all(
      ['Query', 'Export'].map(async (action) => (await peers.authorization.findSubjects({ ...question, action })).ids),
    );
    return { readers: readers ?? [], exporters: exporters ?? [] };
  };
  const vouching = createVouching({ db: database, vouchers, tellOwners, relay, notices, logger, clock });
  const deliverer = createDeliverer({
    db: database,
    secrets,
    relay,
    logger,
    clock,
    tellOwners,
    vouching,
    sender: createSender({ allowPrivate: config.WEBHOOK_ALLOW_PRIVATE }),
  });
  deliverer.start();
  const webhookJobs = startWebhookJobs({ db: database, relay, secrets, vouching, logger, retentionDays: config.WEBHOOK_RETENTION_DAYS });
  const servers = config.DOMAINS_DNS_SERVERS?.split(',').map((server) => server.trim());
  // Two, so that requests never keep the daily check from its answers.
  const domainCheck = createDomainCheck({
    db: database,
    lookUp: createLookUp({ servers, mostOfOrganization: Number.POSITIVE_INFINITY }),
    writeLetters: createWriteLetters(telling),
    relay,
    logger,
    clock,
  });
  const checkDomains = startJob({
    db: database,
    logger,
    name: 'tenancy.check-domains',
    schedule: everySeconds(60),
    run: async () => domainCheck.run,
  });
  const requestLog = createRequestLog({ db: database, clock, logger });
  const makePeople = startJob({
    db: database,
    logger,
    name: 'tenancy.make-people',
    schedule: everySeconds(30),
    run: async () => () => makeUnmade({ database, identity, authorizer, clock, logger }),
  });
  const lookUpDomain = createLookUp({ servers });
  return {
    deps: {
      database,
      authorizer,
      roles,
      tags,
      identity,
      auditLogs,
      logReadersOf,
      countsOf: createCascadeCounts({ roles: peers.roles, identity, keys: peers.keys }),
      searchTotals,
      quotas,
      invitations,
      lookUpDomain,
      webhooks: { secrets, allowPrivate: config.WEBHOOK_ALLOW_PRIVATE, wake: deliverer.wake },
      vouchers,
      requestLog,
      makePerson: createMaker({ database, identity }),
      appUrl: config.APP_URL,
    },
    authorizer: requests.limit(authorizer),
    graphql: subgraph,
    eventHandlers: createEventHandlers(deliverer.wake),
    grpc: [tenancyService({ ...grpcDeps, lookUpDomain })],
    routes: (app, runtime) => {
      serveAuditExport(app, runtime);
      serveScim(app, runtime);
    },
    jobs: [retention, checkDomains, makePeople, ...webhookJobs],
    stop: async () => {
      clearInterval(resuming);
      requests.close();
      vouching.stop();
      domainCheck.stop();
      await Promise.all([deliverer.stop(), requestLog.stop()]);
    },
  };
}
