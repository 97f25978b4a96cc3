/**
 * The events that identity handles. Handlers may run again and in any order between keys: a deleted
 * person stays deleted.
 */
import type { EventEnvelope, EventHandlers, OutgoingEvent } from '@tessera/kernel/events';
import { writeAudit } from '@tessera/kernel/operation';
import { statement, type Transaction } from '@tessera/kernel/postgres';
import { parseScope, type Scope } from '@tessera/kernel/scope';
import { forgetUseAt, forgetUseIn } from './apps/storage/acting-apps.ts';
import { deleteRulesIn, stopRulesOf } from './apps/storage/client-documents.ts';
import { changeMemberRestriction, deleteMemberRestrictionsOf } from './apps/storage/member-restrictions.ts';
import { deleteArtifactsOfApps, deleteArtifactsOfUse, deleteArtifactsOfUser } from './apps/storage/openid-artifacts.ts';
import { deleteConsentsOfUse } from './apps/storage/project-app-consents.ts';
import {
  takeTokensInScopes,
  takeTokensOfApps,
  takeTokensOfCustomers,
  takeTokensOfMachines,
  takeTokensOfUse,
  takeTokensOfUsers,
} from './apps/storage/project-app-tokens.ts';
import { deleteProjectAppsInScopes, stopAppsOf } from './apps/storage/project-apps.ts';
import { listServiceAccountsMadeBy, suspendServiceAccounts, takeServiceAccountsIn } from './apps/storage/service-accounts.ts';
import { endSupportAllowedBy, endSupportIn, endSupportInScopes, endSupportOfGrant } from './apps/storage/support-accesses.ts';
import type { IdentityDeps } from './deps.ts';
import type { Person } from './ground/domain/people.ts';
import { auditContextBehind, findDeletionRequest } from './ground/storage/audit-log.ts';
import { endScopes } from './ground/storage/ended-scopes.ts';
import { deleteBrandingsIn } from './mail/storage/brandings.ts';
import { deleteMailTextsOf } from './mail/storage/mail-texts.ts';
import { provenAddressesOf } from './people/domain/proven-address.ts';
import { finishChange } from './people/operations/users/user-rest.ts';
import { listMethods } from './people/storage/authentication-methods.ts';
import {
  findPeopleOfScopeOnly,
  findPerson,
  hardDeletePerson,
  hasSignIn,
  lockPerson,
  rememberAccounts,
  softDeletePerson,
} from './people/storage/people.ts';
import { forgetSignIns } from './sign-in/storage/connection-sign-ins.ts';
import { deleteConnectionRow, endSessionsOfConnection, lockConnectionsOf } from './sign-in/storage/connections.ts';
import { endSessions, endSessionsInScopes } from './sign-in/storage/sessions.ts';
import { deleteSetUpLinksOf } from './sign-in/storage/set-up-links.ts';

/** Tenancy is told of the audit rows of scopes with webhooks (kernel/migrations/011). */
const watchAudit = statement('audit_watch', 'SELECT watch_audit($1, $2, $3)');

type Dependencies = Pick<IdentityDeps, 'revoker' | 'mailer' | 'settings'> & { readonly clock: () => Date };

export function createEventHandlers({ revoker, mailer, settings, clock }: Dependencies): EventHandlers {
  /** The apps that the user vouches for stop until another person vouches for them. */
  async function stopApps(tx: Transaction, userId: string, scopeId: string) {
    const stopped = await stopAppsOf(tx, userId, scopeId);
    await stopRulesOf(tx, userId, scopeId);
    await deleteArtifactsOfApps(tx, stopped);
    const tokens = await takeTokensOfApps(tx, stopped);
    return revoker.revokeSessions(tx, tokens, clock());
  }

  async function deletePerson(tx: Transaction, userId: string, hard: boolean, cause: EventEnvelope): Promise<OutgoingEvent[]> {
    const now = clock();
    // Locked first: a parallel sign-in finishes before, and its session is found.
    await lockPerson(tx, userId);
    await endSessions(tx, userId);
    void revoker.announceOnceCommitted(await stopApps(tx, userId, ''));
    const revoked = await revoker.revokePerson(tx, userId, now);
    const gone = await (hard ? hardDeletePerson(tx, userId) : softDeletePerson(tx, userId, now));
    void revoker.announceOnceCommitted(revoked);
    if (gone === undefined) return [];
    await auditDeletion(tx, gone, hard, cause, now);
    const staying = await stays(tx, { userId, name: gone.name, why: 'left' });
    return [{ type: 'user.deleted', key: userId, payload: { userId, hard } }, ...staying];
  }

  /** Ends the sessions in these scopes, and deletes people who exist for one of them only. */
  async function clearScopes(
    tx: Transaction,
    sessionScopes: readonly string[],
    homes: readonly Scope[],
    hard: boolean,
    cause: EventEnvelope,
  ) {
    // First, so that parallel transactions finish and everything below finds what they created.
    await endScopes(tx, [...new Set([...sessionScopes, ...homes.map(({ id }) => id)])], clock());
    // The apps before their tokens: a parallel sign-in either stores its token before, where it is
    // found, or issues none.
    await deleteProjectAppsInScopes(tx, sessionScopes, clock());
    await deleteRulesIn(tx, sessionScopes);
    const organizationIds = homes.filter(({ tenant }) => tenant === 'organization').map(({ id }) => id);
    await deleteMailTextsOf(tx, organizationIds);
    await deleteSetUpLinksOf(tx, organizationIds);
    await deleteMemberRestrictionsOf(tx, organizationIds);
    await deleteBrandingsIn(tx, [...new Set([...sessionScopes, ...homes.map(({ id }) => id)])]);
    const tokens = await takeTokensInScopes(tx, sessionScopes);
    const ended = [...(await endSessionsInScopes(tx, sessionScopes)), ...tokens];
    const support = await endSupportInScopes(tx, [...new Set([...sessionScopes, ...homes.map(({ id }) => id)])], clock());
    const revoked = await revoker.revokeSessions(tx, [...ended, ...support], clock());
    void revoker.announceOnceCommitted(revoked);
    for (const id of await lockConnectionsOf(tx, organizationIds)) {
      const came = await endSessionsOfConnection(tx, id);
      await deleteConnectionRow(tx, id, clock());
      void revoker.announceOnceCommitted(await revoker.revokeSessions(tx, came, clock()));
    }
    const services = await takeServiceAccountsIn(tx, [...new Set([...sessionScopes, ...homes.map(({ id }) => id)])], clock());
    void revoker.announceOnceCommitted(await revoker.revokeValues(tx, services, clock()));
    const emitted: OutgoingEvent[] = [];
    for (const home of homes) {
      for (const userId of await findPeopleOfScopeOnly(tx, home)) emitted.push(...(await deletePerson(tx, userId, hard, cause)));
    }
    return emitted;
  }

  return {
    'mail.requested': async (tx, { messageId, to, template, language, data }) => {
      const mail = { messageId, to, template, language, senderId: data.senderId };
      await mailer.queue(tx, { ...mail, data: { ...data, token: data.token ?? '' } }, clock());
      // The inbox commits right after this handler. If that takes longer, the mailer's own poll
      // finds the job.
      setTimeout(() => mailer.poke(), 20).unref();
      return [];
    },
    'people.told': async (tx, { messageId, userIds, template, language, data }) => {
      const methods = await listMethods(tx, userIds);
      for (const userId of userIds) {
        const own = methods.filter((method) => method.userId === userId);
        const [to] = provenAddressesOf(own.toSorted((one, other) => Number(other.isPrimary) - Number(one.isPrimary)));
        if (to === undefined) continue;
        const mail = { messageId: `${messageId}:${userId}`, to, template, language };
        const url = `${settings.appUrl}/console${data['path'] ?? ''}`;
        await mailer.queue(tx, { ...mail, data: { ...data, token: '', url } }, clock());
      }
      setTimeout(() => mailer.poke(), 20).unref();
      return [];
    },
    'webhooks.watched': async (tx, { scopeId, isWatched }, { occurredAt }) => {
      await tx.query(watchAudit, [scopeId, isWatched, occurredAt]);
      return [];
    },
    'account.created': async (tx, { ownerId, accounts }) => {
      await rememberAccounts(tx, ownerId, accounts);
      return [];
    },
    'accounts.imported': async (tx, { accounts }) => {
      await Promise.all(accounts.map((account) => rememberAccounts(tx, account.ownerId, [account])));
      return [];
    },
    'accounts.closed': (tx, { userId, hard }, event) => deletePerson(tx, userId, hard, event),
    'account.deleted': (tx, { accountId, projectIds, hard }, event) =>
      clearScopes(
        tx,
        projectIds.map((projectId) => `${accountId}:${projectId}`),
        [
          { tenant: 'account', id: accountId },
          ...projectIds.map((projectId) => ({ tenant: 'accountProject', id: `${accountId}:${projectId}` }) as const),
        ],
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
    // While it is suspended the refresh tokens stay, and are refused.
    'grant.changed': async (tx, { scope, ownerOrganizationId, projectId, isActive, isEnded }) => {
      if (isActive) return [];
      const [organizationId, product] = [parseScope(scope as Scope).organizationId ?? '', `${ownerOrganizationId}:${projectId}`];
      if (isEnded) {
        // In the order in which each issue of a token locks them.
        await forgetUseAt(tx, scope.id, organizationId);
        await deleteConsentsOfUse(tx, product, organizationId);
        await deleteArtifactsOfUse(tx, product, organizationId);
      }
      const tokens = await takeTokensOfUse(tx, product, organizationId);
      const support = await endSupportOfGrant(tx, organizationId, product, clock());
      void revoker.announceOnceCommitted(await revoker.revokeSessions(tx, [...tokens, ...support], clock()));
      return [];
    },
    'rights.grew': async (tx, { userIds, scope }) => {
      const tokens = await takeTokensOfUsers(tx, scope.id, userIds);
      const support = await endSupportIn(tx, { scopeId: scope.id, userIds, endedBy: 'rights' }, clock());
      void revoker.announceOnceCommitted(await revoker.revokeSessions(tx, [...tokens, ...support], clock()));
      return [];
    },
    // The apps stay: their next tokens are issued if the person may still give their roles.
    'rights.shrank': async (tx, { userIds, scope }) => {
      const ofApps = [...(await takeTokensOfMachines(tx, scope.id, userIds)), ...(await takeTokensOfCustomers(tx, scope.id, userIds))];
      const acted = await endSupportIn(tx, { scopeId: scope.id, userIds, endedBy: 'rights' }, clock());
      const tokens = [...ofApps, ...acted, ...(await endSupportAllowedBy(tx, scope.id, userIds, clock()))];
      void revoker.announceOnceCommitted(await revoker.revokeSessions(tx, tokens, clock()));
      if (scope.tenant !== 'organization') return [];
      const told = await Promise.all(
        userIds.map(async (userId) => {
          const person = await findPerson(tx, userId);
          return person === undefined ? [] : stays(tx, { userId, name: person.name, why: 'demoted', organizationId: scope.id });
        }),
      );
      return told.flat();
    },
    'userChange.begun': (tx, rest) => finishChange(tx, rest, clock()),
    'tenant.restricted': async (tx, { scope, isSuspended }) => {
      const ended = await suspendServiceAccounts(tx, scope.id, isSuspended);
      void revoker.announceOnceCommitted(await revoker.revokeValues(tx, ended, clock()));
      return [];
    },
    // The person's session on the platform is theirs: rbac refuses it in the organization.
    'member.restricted': async (tx, { organizationId, userId, kind }) => {
      await changeMemberRestriction(tx, { organizationId, userId }, restrictedBy[kind]);
      if (kind === 'password-changed') return [];
      await deleteArtifactsOfUser(tx, organizationId, userId);
      const ofApps = kind === 'block' ? await takeTokensOfMachines(tx, organizationId, [userId]) : [];
      const support = await endSupportIn(tx, { scopeId: organizationId, userIds: [userId], endedBy: 'membership' }, clock());
      const allowed = kind === 'block' ? await endSupportAllowedBy(tx, organizationId, [userId], clock()) : [];
      const tokens = [...(await takeTokensOfUsers(tx, organizationId, [userId])), ...ofApps, ...support, ...allowed];
      void revoker.announceOnceCommitted(await revoker.revokeSessions(tx, tokens, clock()));
      const person = kind === 'block' ? await findPerson(tx, userId) : undefined;
      return person === undefined ? [] : stays(tx, { userId, name: person.name, why: 'blocked', organizationId });
    },
    // What the organization has decided about the person stays (decision 28).
    'user.left': async (tx, { userId, scope, hard = false }, event) => {
      // Each issue of a token locks this row first, then the grant.
      await forgetUseIn(tx, userId, scope.id);
      if (scope.tenant === 'organization') await forgetSignIns(tx, scope.id, userId);
      await deleteArtifactsOfUser(tx, scope.id, userId);
      const support = await endSupportIn(tx, { scopeId: scope.id, userIds: [userId], endedBy: 'membership' }, clock());
      const allowed = await endSupportAllowedBy(tx, scope.id, [userId], clock());
      const tokens = [...(await takeTokensOfUsers(tx, scope.id, [userId])), ...support, ...allowed];
      void revoker.announceOnceCommitted(await stopApps(tx, userId, scope.id));
      const ended = [...(await endSessionsInScopes(tx, [`${scope.id}:${userId}`])), ...tokens];
      void revoker.announceOnceCommitted(await revoker.revokeSessions(tx, ended, clock()));
      const person = await findPerson(tx, userId);
      const wasHere = person?.home?.tenant === scope.tenant && person.home.id === scope.id;
      const staying =
        person === undefined || scope.tenant !== 'organization'
          ? []
          : await stays(tx, { userId, name: person.name, why: 'left', organizationId: scope.id });
      return wasHere && !(await hasSignIn(tx, userId)) ? [...staying, ...(await deletePerson(tx, userId, hard, event))] : staying;
    },
  };
}

const restrictedBy = {
  block: { isBlocked: true },
  unblock: { isBlocked: false },
  'end-sessions': {},
  'require-new-password': { isPasswordDue: true },
  'password-changed': { isPasswordDue: false },
} as const;

/** So many of each organization are told of, and how many more there are. */
const mostStaying = 20;

type Maker = {
  readonly userId: string;
  readonly name: string;
  readonly why: 'left' | 'demoted' | 'blocked';
  readonly organizationId?: string;
};

/** The service accounts and credentials that a person has made stay; the Owners are told. */
async function stays(tx: Transaction, { userId: makerId, name: maker, why, organizationId }: Maker): Promise<OutgoingEvent[]> {
  const staying = await listServiceAccountsMadeBy(tx, { makerId, organizationId }, mostStaying);
  return staying.map(({ account: { id, name, scope }, credentials: own, more }) => {
    const credentials = own.map(({ type, lastFour }) => (lastFour === null ? type : `${type} …${lastFour}`)).join(', ');
    return {
      type: 'serviceAccount.stays',
      key: id,
      payload: { id, name, organizationId: scope.id, makerId, maker, why, credentials, more },
    };
  });
}

/** A person who closes their accounts is the actor: the request has left its address in the log. */
async function auditDeletion(tx: Transaction, person: Person, hard: boolean, { id, type }: EventEnvelope, now: Date): Promise<void> {
  const asked = type === 'accounts.closed' ? await findDeletionRequest(tx, person.id) : undefined;
  const actor = asked === undefined ? {} : { actorId: person.id };
  const entry = { ...actor, targetType: 'User', targetId: person.id, detail: { hardDelete: hard } };
  // What was to be forgotten is not kept here.
  const changes = hard ? [] : [{ field: 'name', before: person.name, after: null }];
  const record = { operation: type, action: 'user.deleted', outcome: 'ok', entry, changes } as const;
  await writeAudit(tx, record, auditContextBehind(asked ?? { requestId: id }, now));
}
