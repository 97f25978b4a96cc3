/** Back-channel logout 1.0: tells each app that a session of one of its people has ended. */
import { everySeconds, type Job, startJob } from '@tessera/kernel/events';
import type { Transaction } from '@tessera/kernel/postgres';
import type { Logger } from '@tessera/kernel/telemetry';
import { findTypedApp } from '../../apps/storage/project-apps.ts';
import type { OauthDeps } from '../deps.ts';
import { type EndedVisit, findEndedVisits, forgetVisit, postponeVisit } from '../storage/openid-visits.ts';
import { metadataOf } from './clients.ts';
import { sidOf } from './derived-ids.ts';
import { issuerOfScope } from './issuer.ts';
import { sendLogoutToken } from './library.ts';
import type { Providers } from './providers.ts';

type Options = { readonly providers: Providers; readonly deps: OauthDeps; readonly logger: Logger; readonly clock: () => Date };

const seconds = 2;
const mostAtOnce = 100;
const mostUnderWay = 400;

export function startBackChannel(options: Options): Job {
  const { deps, logger, clock } = options;
  const underWay = new Set<Promise<void>>();
  const run = (tx: Transaction) => sendLogouts(tx, options, clock(), underWay);
  const job = startJob({
    db: deps.database,
    logger,
    name: 'identity.openid-logouts',
    schedule: everySeconds(seconds),
    checkSeconds: seconds,
    run,
  });
  const stop = async () => {
    await job.stop();
    await Promise.all(underWay);
  };
  return { ...job, stop };
}

/**
 * At least once for each app and session. The next attempt is set before the first, so that a
 * process that dies in between loses none; they are sent after the commit. The next run waits for
 * none of them: one tenant's address that never answers would hold up all others.
 */
async function sendLogouts(tx: Transaction, options: Options, now: Date, underWay: Set<Promise<void>>): Promise<() => void> {
  const ended = await findEndedVisits(tx, now, Math.min(mostAtOnce, mostUnderWay - underWay.size));
  for (const visit of ended) await postponeVisit(tx, visit, now);
  return () => {
    for (const visit of ended) {
      const sending = attempt(visit, options).finally(() => underWay.delete(sending));
      underWay.add(sending);
    }
  };
}

async function attempt(visit: EndedVisit, { providers, deps, logger }: Options): Promise<void> {
  try {
    await send(visit, providers, deps);
    await deps.database.transaction((tx) => forgetVisit(tx, visit));
  } catch (error) {
    logger.warn({ err: error, projectAppId: visit.projectAppId }, 'a back-channel logout was not accepted');
  }
}

async function send(visit: EndedVisit, providers: Providers, deps: OauthDeps): Promise<void> {
  const issuer = issuerOfScope({ tenant: visit.scopeTenant, id: visit.scopeId }, deps.settings.appUrl);
  const provider = await providers.of(issuer, deps);
  const sid = sidOf(issuer.url, visit.sessionId, visit.clientId);
  const app = await findTypedApp(deps.database, visit.clientId);
  if (app !== undefined) await sendLogoutToken(provider, metadataOf(app), visit.userId, sid);
}
