import { everySeconds, startJob } from '@tessera/kernel/events';
import { type Kernel, type RunningService, type ServiceParts, startService } from '@tessera/kernel/lifecycle';
import type { TenancyConfig } from './config.ts';
import type { TenancyDeps } from './deps.ts';
import { resumeClosings } from './operations/closing/resume-closings.ts';
import { operations } from './operations/index.ts';
import { announcing } from './peers/roles.ts';
import { pivots } from './pivots.ts';
import { foldMemberCounts, pruneDeleted } from './storage/retention.ts';
import { createSearchTotals } from './storage/search-totals.ts';
import { eventHandlers } from './subscriptions.ts';
import { subgraph } from './transport/graphql.ts';
import { tenancyService } from './transport/grpc/tenancy.ts';

const RESUME_EVERY_MS = 4_000;

/** Opens the service's doors. */
export function startTenancy(config: TenancyConfig): Promise<RunningService> {
  return startService(config, { name: 'tenancy', operations, pivots, compose: (kernel) => compose(config, kernel) });
}

/** Wires every room of the service by hand. */
function compose(config: TenancyConfig, kernel: Kernel): ServiceParts<TenancyDeps> {
  const { database, relay, peers, authorizer, notices, logger } = kernel;
  const { identity, tags } = peers;
  const roles = announcing(peers.roles, notices);
  const searchTotals = createSearchTotals();
  const inner = { database, relay, roles, searchTotals };
  const retention = startJob({
    ...{ db: database, logger, name: 'retention', schedule: everySeconds(3_600) },
    run: async (tx) => {
      await pruneDeleted(tx);
      await foldMemberCounts(tx);
      return undefined;
    },
  });
  // Resuming locks the person it finishes, so that replicas may all try.
  const resume = () =>
    resumeClosings(inner, logger).catch((error: unknown) => logger.error({ err: error }, 'stale closings could not be read'));
  const resuming = setInterval(resume, RESUME_EVERY_MS).unref();
  void resume();
  return {
    deps: { database, authorizer, roles, tags, identity, searchTotals, invitationLifetimeDays: config.INVITATION_EXPIRATION_DAYS },
    graphql: subgraph,
    eventHandlers,
    grpc: [tenancyService(inner)],
    jobs: [retention],
    stop: async () => clearInterval(resuming),
  };
}
