import { everySeconds, startJob } from '@tessera/kernel/events';
import { createBatcher } from '@tessera/kernel/grpc';
import { openRequestQuota } from '@tessera/kernel/quota';
import {
  type Kernel,
  type RunningService,
  type ServiceParts,
  type Surroundings,
  startService,
  tryAtStart,
} from '@tessera/server/lifecycle';
import type { RbacConfig } from './config.ts';
import { createDecider } from './decisions/decider.ts';
import { createTally } from './decisions/tally.ts';
import { createUserMetadata } from './decisions/user-metadata.ts';
import type { RbacDeps } from './deps.ts';
import { watchDecisions } from './metrics.ts';
import { createDirectoryChanges } from './operations/directory/portions.ts';
import { operations } from './operations/index.ts';
import { createMachines } from './peers/machines.ts';
import { createPeople } from './peers/people.ts';
import { seedBuiltInResources, seedMachineRoles } from './storage/built-in.ts';
import { addDecisionCounts } from './storage/decision-counts.ts';
import * as entities from './storage/entities.ts';
import { createPlaces, placed } from './storage/places.ts';
import { pruneAll } from './storage/retention.ts';
import { createRightsCache } from './storage/rights-cache.ts';
import { createServiceAccounts } from './storage/service-accounts.ts';
import { createTenantChanges } from './storage/tenants.ts';
import { eventHandlers } from './subscriptions.ts';
import { subgraph } from './transport/graphql.ts';
import { createAdmit } from './transport/grpc/application/admit.ts';
import { createApplicationAnswers } from './transport/grpc/application/answer.ts';
import { inspect } from './transport/grpc/application/inspect.ts';
import { createCredentialLimit } from './transport/grpc/application/limit.ts';
import { createNoteRefusal } from './transport/grpc/application/refusals.ts';
import { authorizationService } from './transport/grpc/authorization.ts';
import { catalogueService } from './transport/grpc/catalogue.ts';
import { rolesService } from './transport/grpc/roles.ts';
import type { SearchDeps } from './transport/grpc/search.ts';
import { tagsService } from './transport/grpc/tags.ts';
import { localAuthorizer } from './transport/local-authorizer.ts';
import { bindAuthzen } from './transport/protocol/authzen.ts';
import { followTenantChanges, tenantChanged } from './transport/tenant-changes.ts';

const aDay = 86_400;

/**
 * A deaf replica takes no notices and never looks at the versions: tests use it as a replica that
 * lags.
 */
type Hearing = { readonly isDeaf?: boolean };

export function startRbac(config: RbacConfig, surroundings?: Surroundings, hearing: Hearing = {}): Promise<RunningService> {
  return startService(config, { name: 'rbac', operations, entities, compose: (kernel) => compose(config, kernel, hearing) }, surroundings);
}

/** Wires the service by hand and seeds the built-in resources. */
async function compose(config: RbacConfig, kernel: Kernel, { isDeaf = false }: Hearing): Promise<ServiceParts<RbacDeps>> {
  const { notices, peers, relay, logger, metrics } = kernel;
  const places = createPlaces(kernel.database);
  const database = placed(kernel.database, places);
  await tryAtStart(logger, () => seedBuiltInResources(database));
  await tryAtStart(logger, () => seedMachineRoles(database));
  const rights = createRightsCache({
    database,
    places,
    maxEntries: config.RBAC_CACHE_ENTRIES,
    logger,
    ...(isDeaf ? { staleAfterMs: Number.POSITIVE_INFINITY } : {}),
  });
  if (!isDeaf) followTenantChanges(rights, notices);
  const tenants = createTenantChanges(tenantChanged(rights, notices));
  const people = createPeople(peers.identity);
  const machines = createMachines(
    peers.keys,
    peers.identity,
    createServiceAccounts(database, async () => new Map()),
  );
  const userMetadata = createUserMetadata({ load: createBatcher({ maxSize: 500, run: people.metadataOf }) });
  const tally = createTally({ save: (counts) => addDecisionCounts(database, counts), logger });
  tally.start();
  const decider = createDecider({ cache: rights, userMetadata, tally });
  const requests = openRequestQuota(config, kernel);
  const applications = applicationsOf(config, kernel, { database, decider, userMetadata, machines, requests });
  watchDecisions(metrics, { rights, decider, applications: applications.answers });
  const { APP_URL: appUrl } = config;
  const deliver = (eventIds: readonly string[]) => relay.deliver(eventIds);
  const directoryChanges = createDirectoryChanges({ database, places, tenants, deliver, logger });
  const served = { appUrl, database, places, rights, tenants, decider, requests, userMetadata, machines, directoryChanges };
  const deps: RbacDeps = { ...served, findPeople: people.find };
  if (!isDeaf) rights.start();
  return {
    deps,
    authorizer: requests.limit(localAuthorizer(decider)),
    graphql: subgraph,
    eventHandlers: eventHandlers(tenants, places),
    resolveScope: places.resolve,
    routes: (app, runtime) => bindAuthzen(app, runtime, config.APP_URL),
    grpc: [
      authorizationService(deps, applications),
      rolesService(deps, relay.deliver),
      catalogueService(deps),
      tagsService(database, places),
    ],
    jobs: [
      startJob({ db: database, name: 'rbac.retention', schedule: everySeconds(aDay), run: async () => () => pruneAll(database), logger }),
      startJob({
        db: database,
        name: 'rbac.directory-changes',
        schedule: everySeconds(15),
        run: async () => () => directoryChanges.run(),
        logger,
      }),
    ],
    stop: async () => {
      await directoryChanges.stop();
      rights.stop();
      requests.close();
      await tally.stop();
    },
  };
}

/** What applications may ask over gRPC, with their own access tokens. */
function applicationsOf(
  { RBAC_CREDENTIAL_MAX_CHECKS }: RbacConfig,
  { database, logger, clock, verifyToken }: Kernel,
  deps: SearchDeps & Pick<RbacDeps, 'requests'>,
) {
  const limit = createCredentialLimit(RBAC_CREDENTIAL_MAX_CHECKS);
  const noteRefusal = createNoteRefusal({ database, logger, clock });
  const door = { admit: createAdmit({ verifyToken, limit, noteRefusal }), inspect };
  return { door, answers: createApplicationAnswers({ ...deps, verifyToken, limit, noteRefusal }) };
}
