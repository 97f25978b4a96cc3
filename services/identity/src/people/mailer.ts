/**
 * Durable mail. A job commits with the change that it is about; any replica claims it, sends it and
 * marks it done. After a crash between the two the same mail is sent again (same id, same token),
 * never another one.
 *
 * Links to verify an address or to reset a password are requested by address. The mailer looks the
 * address up after the response, so that content and duration of the response are the same for
 * every address. Their tokens are derived from the job's id.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '@tessera/kernel/ids';
import type { Database, Transaction } from '@tessera/kernel/postgres';
import { type AuthenticationMethod, addressOf, emailProvider } from '../ground/domain/people.ts';
import { deriveKeys, deriveToken, hashToken } from '../ground/tokens/opaque-token.ts';
import { seal, unseal } from '../ground/tokens/sealed.ts';
import type { Face } from '../mail/domain/face.ts';
import type { OwnText } from '../mail/domain/own-text.ts';
import type { Faces } from '../mail/faces.ts';
import type { InvitationTokens } from '../mail/invitation-tokens.ts';
import type { MailTransport } from '../mail/mail.ts';
import {
  claimMailJobs,
  discardMailJob,
  findTurn,
  finishMailJob,
  insertMailJob,
  keepWaiting,
  type MailJob,
  postponeMailJob,
  releaseMailJob,
} from '../mail/storage/mail-jobs.ts';
import { refusesInvitations } from '../mail/storage/refused-invitations.ts';
import { type Brand, isInvitation, isTemplate, logoId, type MailData, render } from '../mail/templates.ts';
import { findAccountOf } from './address-owner.ts';
import type { MailLogos } from './mail-logos.ts';
import { findCredentials, listMethods, type MethodOfPerson } from './storage/authentication-methods.ts';
import { countOneTimeTokens, insertOneTimeToken, isOneTimeTokenKnown, type TokenPurpose } from './storage/one-time-tokens.ts';

export type MailerOptions = {
  readonly database: Database;
  readonly transport: MailTransport;
  readonly secret: string;
  readonly invitationTokens: Pick<InvitationTokens, 'of'>;
  /** For one address, from all senders together. */
  readonly mostInvitationsOfDay: number;
  readonly frontendUrl: string;
  readonly faces: Faces;
  readonly logoOf: MailLogos;
  readonly lifetimeMs: Readonly<Record<TokenPurpose, number>>;
  readonly clock: () => Date;
  readonly logger: { warn(details: object, message: string): void; error(details: object, message: string): void };
};

export type QueuedMail = {
  readonly messageId?: string;
  readonly template: string;
  readonly to: string;
  readonly language: string;
  readonly data: MailData;
  /** Of an invitation: its sender. Mails to one address take turns by sender. */
  readonly senderId?: string | undefined;
};

/** Where a person was on the way to: the page of the link leads back there. */
export type AppOfLink = { readonly clientId: string; readonly interactionId?: string };

export type QueuedLink = Pick<QueuedMail, 'to' | 'language'> & { readonly app?: AppOfLink | undefined };

export type Mailer = {
  /**
   * Queues a link for the person with this address, if there is one. It costs the same either way.
   */
  queueLink(tx: Transaction, purpose: TokenPurpose, link: QueuedLink, now: Date): Promise<void>;
  /** Queues a mail whose data is known. A message id counts once. */
  queue(tx: Transaction, mail: QueuedMail, now: Date): Promise<void>;
  /** Call it after a commit that queued mail. */
  poke(): void;
  start(): void;
  stop(): Promise<void>;
};

type Ready = { readonly job: MailJob; readonly template: string; readonly data: MailData };
/** Undefined for a job without a mail to send. */
type Prepared = Ready | 'waits' | undefined;

/** They lead to the app in which they were requested. */
const ofApps: ReadonlySet<string> = new Set(['verify-email', 'reset-password', 'magic-link']);

/** Sent to the person who is writing a text, with made-up names. */
const testTemplate = 'mail-text-test';

const leaseMs = 60_000;
const pollMs = 3_000;
const longestRetryMs = 15 * 60_000;
const longestStopMs = 3_000;
const windowMs = 10 * 60_000;
const mostLinks = 5;
/**
 * Of all tenants together, so that invitations cannot fill a person's mailbox. More wait. Other
 * mail is neither counted nor held back: an attacker must not suppress a sign-in, a reset or a
 * warning by causing other mail.
 */
const mostInvitations = 20;
const dayMs = 86_400_000;

export function createMailer(options: MailerOptions): Mailer {
  const { database, transport, frontendUrl, faces, lifetimeMs, clock, logger } = options;
  const [dataKey, tokenKeys] = [deriveKeys(options.secret, 'mail-data'), deriveKeys(options.secret, 'mail-token')];
  let wakeUp = new AbortController();
  let stopping = false;
  let running: Promise<void> | undefined;

  const windowStart = () => new Date(clock().getTime() - windowMs);

  /**
   * Any caller may request these mails. Over the limit none is sent; the links sent before still
   * work.
   */
  async function isTooOften(tx: Transaction, methodId: string, purpose: TokenPurpose): Promise<boolean> {
    return (await countOneTimeTokens(tx, methodId, purpose, windowStart())) >= mostLinks;
  }

  /** Of a later attempt: the one that the first has stored, with an older secret perhaps. */
  async function tokenOf(tx: Transaction, { id, attempts }: MailJob, purpose: TokenPurpose): Promise<string> {
    const [token, ...older] = tokenKeys.map((key) => deriveToken(key, `${purpose} ${id}`));
    for (const candidate of attempts === 1 ? [] : older)
      if (await isOneTimeTokenKnown(tx, hashToken(candidate), purpose, clock())) return candidate;
    return token ?? '';
  }

  /**
   * The first attempt stores the token. A later one does not, because the token may have been used
   * meanwhile.
   */
  async function prepareLink(tx: Transaction, job: MailJob, purpose: TokenPurpose): Promise<Ready | undefined> {
    const method = await findCredentials(tx, emailProvider, job.recipient);
    if (method === undefined || (purpose === 'verify-email' && method.isVerified)) return undefined;
    if (purpose === 'reset-password' && !(await leadsTo(tx, job.recipient, method.userId))) return undefined;
    const isFirstTry = job.attempts === 1;
    if (isFirstTry && (await isTooOften(tx, method.id, purpose))) return undefined;
    const token = await tokenOf(tx, job, purpose);
    const expiresAt = new Date(Date.parse(job.createdAt) + lifetimeMs[purpose]);
    if (isFirstTry) await insertOneTimeToken(tx, { hash: hashToken(token), purpose, methodId: method.id, expiresAt }, clock());
    const { template, data } = await describeLink(tx, purpose, method);
    const app = job.app === null ? {} : unseal(dataKey, job.id, job.app);
    return { job, template, data: { ...data, ...app, token } };
  }

  async function isItsTurn(tx: Transaction, job: MailJob): Promise<boolean> {
    const dayStart = new Date(clock().getTime() - dayMs);
    const { inDay, inWindow, before } = await findTurn(tx, job, dayStart, windowStart());
    return inWindow + before < mostInvitations && inDay + before < options.mostInvitationsOfDay;
  }

  async function prepareInvitation(tx: Transaction, job: MailJob, data: MailData): Promise<Prepared> {
    if (job.releasedAt === null) {
      if (typeof data.expiresAt === 'string' && Date.parse(data.expiresAt) <= clock().getTime()) return undefined;
      if (await refusesInvitations(tx, [job.recipient])) return undefined;
      if (!(await isItsTurn(tx, job))) return 'waits';
      await releaseMailJob(tx, job.id, clock());
    }
    const stopUrl = `${frontendUrl}/auth/invitation-mails?token=${options.invitationTokens.of(job.recipient)}`;
    return { job, template: job.template, data: { ...data, stopUrl } };
  }

  async function prepare(tx: Transaction, job: MailJob): Promise<Prepared> {
    if (job.data === null) return prepareLink(tx, job, job.template as TokenPurpose);
    const unsealed = unseal(dataKey, job.id, job.data);
    const data = { ...unsealed, token: String(unsealed.token ?? '') };
    return isInvitation(job.template) ? prepareInvitation(tx, job, data) : { job, template: job.template, data };
  }

  async function claim(): Promise<{ ready: Ready[]; claimed: number }> {
    const now = clock();
    return database.transaction(async (tx) => {
      const ready: Ready[] = [];
      const jobs = await claimMailJobs(tx, now, new Date(now.getTime() + leaseMs));
      for (const job of jobs) {
        const prepared = await prepare(tx, job);
        if (prepared === undefined) await discardMailJob(tx, job.id);
        else if (prepared === 'waits') await keepWaiting(tx, job.id, new Date(now.getTime() + windowMs));
        else ready.push(prepared);
      }
      return { ready, claimed: jobs.length };
    });
  }

  /** Mails of the account itself are the installation's. */
  function referenceOf(template: string, { clientId, organizationId }: MailData) {
    if (typeof clientId === 'string' && ofApps.has(template)) return { clientId };
    const isOfOrganization = isInvitation(template) || template === testTemplate;
    return typeof organizationId === 'string' && isOfOrganization ? { organizationId } : {};
  }

  async function faceOf({ clientId, organizationId }: ReturnType<typeof referenceOf>): Promise<Face> {
    if (clientId !== undefined) return faces.ofClient(clientId);
    return organizationId === undefined ? faces.platform : faces.ofOrganization(organizationId);
  }

  async function brandOf({ job, template, data }: Ready): Promise<{ brand: Brand; logo: Buffer | undefined }> {
    const reference = referenceOf(template, data);
    const draft = template === testTemplate ? draftOf(data) : undefined;
    const [{ name, primaryColor: color, logoPath, isOfTenant }, text] = await Promise.all([
      faceOf(reference),
      draft ?? faces.textOf({ ...reference, template, language: job.language }),
    ]);
    const logo = logoPath === null ? undefined : await options.logoOf(logoPath);
    const isOwn = isOfTenant || text !== undefined;
    return { brand: { name, color, text, hasLogo: logo !== undefined, ...(isOwn ? { productName: faces.platform.name } : {}) }, logo };
  }

  async function send({ job, template, data }: Ready): Promise<void> {
    try {
      const { id, recipient: to, language, createdAt } = job;
      const { brand, logo } = await brandOf({ job, template, data });
      const picture =
        logo === undefined ? {} : { logo: { id: logoId, contentType: 'image/png', content: logo.toString('base64') } as const };
      await transport.send(id, { to, template, createdAt, ...render(template, language, data, frontendUrl, brand), ...picture });
      await finishMailJob(database, id, clock());
    } catch (error) {
      logger.warn(
        { err: error, template: job.template, jobId: job.id, attempts: job.attempts },
        'a mail could not be sent and will be tried again',
      );
      const waitMs = Math.min(longestRetryMs, 1_000 * 2 ** Math.min(job.attempts, 10));
      await postponeMailJob(database, job.id, new Date(clock().getTime() + waitMs)).catch(() => undefined);
    }
  }

  async function sendDue(): Promise<boolean> {
    const { ready, claimed } = await claim();
    await Promise.all(ready.map(send));
    return claimed > 0;
  }

  async function run(): Promise<void> {
    while (!stopping) {
      const hasMore = await sendDue().catch((error: unknown) => {
        logger.error({ err: error }, 'the mail jobs could not be read');
        return false;
      });
      if (hasMore) continue;
      await sleep(pollMs * (0.75 + Math.random() / 2), undefined, { signal: wakeUp.signal, ref: false }).catch(() => undefined);
      wakeUp = new AbortController();
    }
  }

  return {
    queueLink: (tx, purpose, { to, language, app }, now) => {
      const id = newId();
      const sealed = app === undefined ? null : seal(dataKey, id, app);
      return insertMailJob(tx, { id, messageId: id, template: purpose, recipient: to, language, data: null, app: sealed }, now);
    },
    queue: async (tx, { messageId, template, to, language, data, senderId }, now) => {
      if (!isTemplate(template)) throw new Error(`There is no mail template '${template}'.`);
      const id = newId();
      const job = { id, messageId: messageId ?? id, template, recipient: to, language, senderId, app: null };
      await insertMailJob(tx, { ...job, data: seal(dataKey, id, data) }, now);
    },
    poke: () => wakeUp.abort(),
    start: () => {
      running ??= run();
    },
    async stop() {
      stopping = true;
      wakeUp.abort();
      // A mail that a hanging server may have accepted is sent again, as after a crash.
      await Promise.race([running, sleep(longestStopMs, undefined, { ref: false })]);
      await transport.close();
    },
  };
}

/** The owner of the address must not get into another person's account. */
async function leadsTo(tx: Transaction, address: string, userId: string): Promise<boolean> {
  const account = await findAccountOf(tx, address);
  return account !== 'free' && account !== 'disputed' && account.userId === userId;
}

/**
 * A link for an address that was added to an account names the account, because it may be another
 * person's (a trojan identifier).
 */
async function describeLink(
  tx: Transaction,
  purpose: TokenPurpose,
  method: MethodOfPerson,
): Promise<{ template: string; data: Readonly<Record<string, string>> }> {
  const methods = await listMethods(tx, [method.userId]);
  const isLater = (other: AuthenticationMethod) => purpose === 'verify-email' || other.createdAt < method.createdAt;
  const others = methods.filter((other) => other.id !== method.id && other.isVerified && isLater(other));
  const [first] = others;
  if (first === undefined) return { template: purpose, data: {} };
  const template = purpose === 'verify-email' ? 'verify-added-address' : 'reset-password-of-added-address';
  return { template, data: { accountName: method.userName, accountAddress: addressOf(others) ?? first.provider } };
}

function draftOf({ draft }: MailData): OwnText | undefined {
  if (typeof draft !== 'object' || draft === null || !('subject' in draft) || !('body' in draft)) return undefined;
  return { subject: String(draft.subject), body: String(draft.body) };
}
