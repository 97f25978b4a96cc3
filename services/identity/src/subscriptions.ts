/** What identity does when it hears of something. Handlers bear repetition and any order between keys: who is gone stays gone. */
import type { EventEnvelope, EventHandlers, OutgoingEvent } from '@tessera/kernel/events';
import { writeAudit } from '@tessera/kernel/operation';
import type { Transaction } from '@tessera/kernel/postgres';
import type { Scope } from '@tessera/kernel/scope';
import type { IdentityDeps } from './deps.ts';
import { endScopes } from './storage/ended-scopes.ts';
import {
  findPeopleOfScopeOnly,
  findPerson,
  hardDeletePerson,
  hasSignIn,
  lockPerson,
  rememberAccounts,
  softDeletePerson,
} from './storage/people.ts';
import { takeTokensInScopes, takeTokensOfUser } from './storage/project-app-tokens.ts';
import { deleteProjectAppsInScopes } from './storage/project-apps.ts';
import { endSessions, endSessionsInScopes } from './storage/sessions.ts';

type Dependencies = Pick<IdentityDeps, 'revoker' | 'mailer'> & { readonly clock: () => Date };

export function createEventHandlers({ revoker, mailer, clock }: Dependencies): EventHandlers {
  async function deletePerson(tx: Transaction, userId: string, hard: boolean, cause: EventEnvelope): Promise<OutgoingEvent[]> {
    const now = clock();
    // First of all: a sign-in that is being finished is waited for, and what it opened is found.
    await lockPerson(tx, userId);
    await endSessions(tx, userId);
    const revoked = await revoker.revokePerson(tx, userId, now);
    const gone = await (hard ? hardDeletePerson(tx, userId) : softDeletePerson(tx, userId, now));
    void revoker.announceOnceCommitted(revoked);
    if (gone === undefined) return [];
    await auditDeletion(tx, userId, hard, cause, now);
    return [{ type: 'user.deleted', key: userId, payload: { userId, hard } }];
  }

  /** Sessions that live in these scopes end; people who exist for one of them only go with it. */
  async function clearScopes(
    tx: Transaction,
    sessionScopes: readonly string[],
    homes: readonly Scope[],
    hard: boolean,
    cause: EventEnvelope,
  ) {
    // First of all, so that everything below finds what was being made here.
    await endScopes(tx, [...new Set([...sessionScopes, ...homes.map(({ id }) => id)])], clock());
    // The apps before their tokens: a sign-in that is being finished hands its token out before, and it is found, or not at all.
    await deleteProjectAppsInScopes(tx, sessionScopes, clock());
    const tokens = await takeTokensInScopes(tx, sessionScopes);
    const ended = [...(await endSessionsInScopes(tx, sessionScopes)), ...tokens];
    const revoked = await revoker.revokeSessions(tx, ended, clock());
    void revoker.announceOnceCommitted(revoked);
    const emitted: OutgoingEvent[] = [];
    for (const home of homes) {
      for (const userId of await findPeopleOfScopeOnly(tx, home)) emitted.push(...(await deletePerson(tx, userId, hard, cause)));
    }
    return emitted;
  }

  return {
    'mail.requested': async (tx, { messageId, to, template, language, data }) => {
      await mailer.queue(tx, { messageId, to, template, language, data: { ...data, token: data.token ?? '' } }, clock());
      // The commit is the caller's and comes right after; should it be later than this, the mailer's own look finds the job.
      setTimeout(() => mailer.poke(), 20).unref();
      return [];
    },
    'account.created': async (tx, { ownerId, accounts }) => {
      await rememberAccounts(tx, ownerId, accounts);
      return [];
    },
    'accounts.closed': (tx, { userId, hard }, event) => deletePerson(tx, userId, hard, event),
    'account.deleted': (tx, { accountId, projectIds, hard }, event) =>
      clearScopes(
        tx,
        projectIds.map((projectId) => `${accountId}:${projectId}`),
        projectIds.map((projectId) => ({ tenant: 'accountProject', id: `${accountId}:${projectId}` })),
        hard,
        event,
      ),
    'organization.deleted': (tx, { organizationId, projectIds, hard }, event) =>
      clearScopes(
        tx,
        projectIds.map((projectId) => `${organizationId}:${projectId}`),
        [
          { tenant: 'organization', id: organizationId },
          ...projectIds.map((projectId) => ({ tenant: 'organizationProject', id: `${organizationId}:${projectId}` }) as const),
        ],
        hard,
        event,
      ),
    'project.deleted': (tx, { scope, hard }, event) => clearScopes(tx, [scope.id], [scope as Scope], hard, event),
    'user.left': async (tx, { userId, scope }, event) => {
      const tokens = await takeTokensOfUser(tx, scope.id, userId);
      const ended = [...(await endSessionsInScopes(tx, [`${scope.id}:${userId}`])), ...tokens];
      void revoker.announceOnceCommitted(await revoker.revokeSessions(tx, ended, clock()));
      const person = await findPerson(tx, userId);
      const wasHere = person?.home?.tenant === scope.tenant && person.home.id === scope.id;
      return wasHere && !(await hasSignIn(tx, userId)) ? deletePerson(tx, userId, false, event) : [];
    },
  };
}

async function auditDeletion(tx: Transaction, userId: string, hard: boolean, { id, type }: EventEnvelope, now: Date): Promise<void> {
  const nobody = { ipAddress: '', userAgent: '', id };
  const request = { ...nobody, transport: 'grpc', language: 'en', bearerToken: undefined, cookies: {}, origin: undefined } as const;
  const response = { setCookie: () => undefined, consistencyToken: undefined, addConsistencyToken: () => undefined };
  await writeAudit(
    tx,
    { operation: type, action: 'user.deleted', outcome: 'ok', entry: { targetType: 'User', targetId: userId, detail: { hard } } },
    { actor: { kind: 'anonymous' }, scope: undefined, now, response, request: { ...request, consistencyToken: undefined, noCache: false } },
  );
}
