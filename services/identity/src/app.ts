/** Composes the service. Only this file and `compose.ts` know every room. */
import { implement } from '@tessera/kernel/grpc';
import { openRequestQuota } from '@tessera/kernel/quota';
import { createRevocationSource } from '@tessera/kernel/tokens';
import { readSdl } from '@tessera/server/graphql';
import {
  type Kernel,
  type RunningService,
  type ServiceParts,
  type Surroundings,
  startService,
  tryAtStart,
} from '@tessera/server/lifecycle';
import { startEndingTokens } from './apps/jobs/ending-tokens.ts';
import { composeDeps } from './compose.ts';
import type { IdentityConfig } from './config.ts';
import type { IdentityDeps } from './deps.ts';
import { watchIdentity } from './metrics.ts';
import { startSupportEnds } from './oauth/jobs/support-ends.ts';
import { startBackChannel } from './oauth/openid/back-channel.ts';
import { serveOpenid } from './oauth/openid/routes.ts';
import { operations } from './operations/index.ts';
import { countDisputedAddresses } from './people/storage/proven-addresses.ts';
import { startRetention } from './retention.ts';
import { serveOauth } from './routes.ts';
import { startRecoveryMails } from './sign-in/jobs/recovery-mails.ts';
import { startRenewingMetadata } from './sign-in/jobs/renew-metadata.ts';
import { startResealing } from './sign-in/jobs/reseal-secrets.ts';
import { createEventHandlers } from './subscriptions.ts';
import { entities, types } from './transport/graphql.ts';
import { identityService } from './transport/grpc/identity.ts';
import { servePictures } from './transport/protocol/picture-route.ts';

export const graphql = { sdl: readSdl(new URL('../', import.meta.url)), types, entities };
export { operations };

type Definition = Parameters<typeof startService<IdentityDeps>>[1];

/** Starts the service. It has no pivot tables. */
export function startIdentity(config: IdentityConfig, surroundings: Surroundings = {}): Promise<RunningService> {
  const definition: Definition = {
    name: 'identity',
    operations,
    tokenSources: ({ database, clock }) => ({ revocations: revocationSource(database, clock) }),
    compose: (kernel) => compose(config, kernel),
  };
  return startService(config, definition, surroundings);
}

function revocationSource(database: Kernel['database'], clock: Kernel['clock']) {
  return createRevocationSource({ service: 'identity', database, clock, transactionColumn: 'transaction_id' });
}

async function compose(config: IdentityConfig, kernel: Kernel): Promise<ServiceParts<IdentityDeps>> {
  const { database, logger, clock } = kernel;
  const { deps, openid, isHealthy, stop } = await composeDeps(config, kernel);
  const { pictures, mailer, hasher, factorSecrets, connectionSecrets } = deps;
  watchIdentity(kernel.metrics, { database, hasher });
  kernel.notices.subscribe('keys-rotated', ({ issuer }) => openid.forget(issuer));
  mailer.start();
  const disputed = await tryAtStart(logger, () => countDisputedAddresses(database));
  if (disputed > 0)
    logger.warn({ addresses: disputed }, 'several people have proven one address: docs/operating.md, "Addresses of two people"');
  const requests = openRequestQuota(config, kernel);
  return {
    deps,
    authorizer: requests.limit(kernel.authorizer),
    graphql,
    eventHandlers: createEventHandlers({ ...deps, clock }),
    grpc: [identityService({ ...deps, clock }), implement('revocation.v1.Revocations', { list: revocationSource(database, clock).list })],
    routes: (app) => {
      servePictures(app, pictures);
      serveOauth(app, deps, clock);
      serveOpenid(app, openid, deps, clock);
    },
    jobs: [
      ...startRetention({ db: database, logger, pictures, clock, deletedUsersDays: config.RETENTION_DELETED_USERS_DAYS }),
      startBackChannel({ providers: openid, deps, logger, clock }),
      startEndingTokens({ db: database, logger, clock }),
      startRecoveryMails({ deps, logger, clock }),
      startSupportEnds({ deps, logger, clock }),
      startRenewingMetadata({ deps, logger, clock }),
      startResealing({ database, factorSecrets, connectionSecrets, logger }),
    ],
    degrading: { cache: isHealthy },
    stop: async () => {
      requests.close();
      await stop();
    },
  };
}
