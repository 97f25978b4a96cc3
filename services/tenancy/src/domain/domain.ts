/** The rules of domains that need neither database nor DNS. */

export const domainStatuses = ['pending', 'verified', 'failing', 'lost'] as const;
export type DomainStatus = (typeof domainStatuses)[number];

/** Why the last check did not succeed. */
export const domainProblems = ['record_missing', 'record_differs', 'dns_failed', 'claimed_elsewhere'] as const;
export type DomainProblem = (typeof domainProblems)[number];

/** What the Owners are told of a domain whose record is gone. */
export type DomainLetter = 'failing' | 'reminded' | 'lost';

/** What the DNS says of the record. `unknown`: it does not answer, or its answer says nothing. */
export type Sight = 'seen' | 'missing' | 'differs' | 'unknown';

export type DomainState = {
  readonly status: DomainStatus;
  readonly seenAt: string | null;
  readonly failingSince: string | null;
  readonly problem: DomainProblem | null;
};

export const mostDomainsOfOrganization = 50;
/** The longest domain for which the name of its record is not longer than a name may be. */
export const longestDomain = 234;

const dayMs = 24 * 60 * 60 * 1_000;
const lostAfterMs = 7 * dayMs;
const remindedBeforeMs = dayMs;
const unseenMs = 30 * dayMs;

export function challengeName(domain: string): string {
  return `_tessera-challenge.${domain}`;
}

/** Some pages of providers keep the quotes around a text as part of it. */
export function isChallenge(text: string, challenge: string): boolean {
  return (
    text
      .trim()
      .replace(/^"(.*)"$/, '$1')
      .trim() === challenge
  );
}

export function isProven(status: DomainStatus): boolean {
  return status === 'verified' || status === 'failing';
}

/** When a domain that is failing is lost. */
export function lostAt(failingSince: string): Date {
  return new Date(Date.parse(failingSince) + lostAfterMs);
}

const problems = { missing: 'record_missing', differs: 'record_differs', unknown: 'dns_failed' } as const;

/**
 * The state after a check that did not see the record. An outage of the DNS is not absence: it
 * changes nothing, unless the record was seen by no check for thirty days.
 */
export function stateUnseen({ status, seenAt, failingSince }: DomainState, sight: Exclude<Sight, 'seen'>, now: Date): DomainState {
  const problem = problems[sight];
  const isAbsent = sight !== 'unknown' || now.getTime() - Date.parse(seenAt ?? '') >= unseenMs;
  if (!isProven(status) || !isAbsent) return { status, seenAt, failingSince, problem };
  const since = failingSince ?? now.toISOString();
  return { status: now >= lostAt(since) ? 'lost' : 'failing', seenAt, failingSince: since, problem };
}

/** What has failed since then is lost in a day. */
export function remindedSince(now: Date): Date {
  return new Date(now.getTime() - lostAfterMs + remindedBeforeMs);
}

/** A mail since then stands for a new beginning, too: one that comes and goes mails no more. */
export function toldAgainSince(now: Date): Date {
  return new Date(now.getTime() - dayMs);
}

type Told = Pick<DomainState, 'status' | 'failingSince'> & {
  readonly told: DomainLetter | null;
  /** When the last mail was sent, also before the record was back. */
  readonly toldAt: string | null;
};

/** The mail that the Owners have not got yet. */
export function letterDue({ status, failingSince, told, toldAt }: Told, now: Date): DomainLetter | undefined {
  if (status === 'lost') return told === 'lost' ? undefined : 'lost';
  if (status !== 'failing' || failingSince === null) return undefined;
  if (told === null) return toldAt === null || Date.parse(toldAt) <= toldAgainSince(now).getTime() ? 'failing' : undefined;
  return told === 'failing' && Date.parse(failingSince) <= remindedSince(now).getTime() ? 'reminded' : undefined;
}
