/** Every proven domain is looked for once a day, one that is failing more often. */
import { emit, type Relay } from '@tessera/kernel/events';
import { differences } from '@tessera/kernel/operation';
import type { Database } from '@tessera/kernel/postgres';
import { parseScope } from '@tessera/kernel/scope';
import type { Logger } from '@tessera/kernel/telemetry';
import { auditBySystem } from '../audit/by-system.ts';
import { letterDue, remindedSince, toldAgainSince } from '../domain/domain.ts';
import { type Domain, type Intervals, listUntold, lockDomain, noteTold, takeDueDomains } from '../storage/domains.ts';
import type { WriteLetters } from './letters.ts';
import type { LookUp } from './lookup.ts';
import { settleSight } from './settle.ts';

type Options = {
  readonly db: Database;
  readonly lookUp: LookUp;
  readonly writeLetters: WriteLetters;
  readonly relay: Pick<Relay, 'deliver'>;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly clock: () => Date;
  /** As many as the look-up asks for at once. */
  readonly atOnce?: number;
  /** How many untold domains are read at once. */
  readonly lettersAtOnce?: number;
};

export type DomainCheck = {
  /** Looks for what is due, and tells the Owners. */
  run(): Promise<void>;
  stop(): void;
};

const intervals: Intervals = { verifiedSeconds: 24 * 3_600, failingSeconds: 6 * 3_600 };
/** So many absent records in one run are hardly a coincidence. */
const suspicious = { least: 5, share: 0.5 };

export function createDomainCheck(options: Options): DomainCheck {
  const { db, lookUp, writeLetters, relay, logger, clock, atOnce = 20, lettersAtOnce = 200 } = options;
  let isStopped = false;

  async function check(taken: Domain): Promise<string> {
    const sight = await lookUp(taken);
    const now = clock();
    const { organizationId, id, domain: name } = taken;
    await db.transaction(async (tx) => {
      const before = await lockDomain(tx, organizationId, id);
      // Deleted, or checked by a request after the record was looked for.
      if (before === undefined || before.checkedAt !== taken.checkedAt) return;
      const { after, action } = await settleSight(tx, before, sight, now);
      if (action === undefined) return;
      const scope = parseScope({ tenant: 'organization', id: organizationId });
      const changes = differences(['status', 'failingSince', 'problem'], before, after);
      await auditBySystem(tx, scope, { operation: 'checkDomain', action, target: { type: 'Domain', id, name }, changes }, now);
    });
    return sight;
  }

  async function checkDue(): Promise<void> {
    const counts = { all: 0, absent: 0, unknown: 0 };
    for (;;) {
      const due = isStopped ? [] : await takeDueDomains(db, clock(), intervals, atOnce);
      const sights = await Promise.allSettled(due.map(check));
      for (const sight of sights) {
        counts.all += 1;
        if (sight.status === 'rejected') logger.error({ err: sight.reason }, 'a domain could not be checked, and is checked again');
        else if (sight.value === 'unknown') counts.unknown += 1;
        else if (sight.value !== 'seen') counts.absent += 1;
      }
      if (due.length < atOnce) break;
    }
    if (counts.unknown > 0) logger.warn(counts, 'the DNS said nothing of some domains, which stay as they are');
    if (counts.absent >= suspicious.least && counts.absent > counts.all * suspicious.share)
      logger.error(counts, 'the DNS shows the records of most domains no more: check DOMAINS_DNS_SERVERS before they are lost');
  }

  async function tell(domain: Domain): Promise<void> {
    const now = clock();
    const letter = letterDue(domain, now);
    if (letter === undefined) return;
    // Before the transaction, which must not wait for another service.
    const letters = await writeLetters(domain, letter);
    const eventIds = await db.transaction(async (tx) => ((await noteTold(tx, domain, letter, now)) ? emit(tx, [...letters]) : []));
    if (eventIds.length > 0) await relay.deliver(eventIds);
  }

  async function tellOwners(): Promise<void> {
    const now = clock();
    const since = { reminded: remindedSince(now), toldAgain: toldAgainSince(now) };
    // Page by page, so that letters which fail keep no others back.
    let after = '00000000-0000-0000-0000-000000000000';
    for (let isMore = true; isMore && !isStopped; ) {
      const page = await listUntold(db, since, after, lettersAtOnce);
      for (const domain of page)
        await tell(domain).catch((error: unknown) =>
          logger.error({ err: error, domainId: domain.id }, 'the Owners could not be told of a domain, and are told later'),
        );
      after = page.at(-1)?.id ?? after;
      isMore = page.length === lettersAtOnce;
    }
  }

  return {
    run: async () => {
      await checkDue();
      await tellOwners();
    },
    stop: () => {
      isStopped = true;
    },
  };
}
