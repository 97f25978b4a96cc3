import { failures } from '@tessera/kernel/errors';
import { newId } from '@tessera/kernel/ids';
import { scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import { operation } from '../deps.ts';
import { readResource } from '../domain/scim/resource.ts';
import { userType } from '../domain/scim/schema.ts';
import { findDirectoryUserOf, findTaken, insertDirectoryUser, noteEntry } from '../storage/directory-users.ts';
import { findDetached, findMemberBy, lockIfDetached } from '../storage/members.ts';
import { accountOf, enter, lockEntry, provenPersonOf } from './enter.ts';
import { dropMember, endMembership } from './leave.ts';
import { Body, type Context, exists, type Kept, keep, nameOf, provision, refuseTaken, Shown, scimOnly, showAs } from './user.ts';

export const provisionUser = operation({
  ...scimOnly,
  name: 'provisionUser',
  summary: 'Take in a person whom the directory sends',
  kind: 'mutation',
  input: strict({ ...scopeField, body: Body }),
  output: Shown,
  access: provision,
  scopes: ['organization'],
  verification: 'by-scope',
  errors: ['CONFLICT', 'FORBIDDEN', 'PRECONDITION_FAILED', 'QUOTA_EXCEEDED', 'RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'],
  audit: 'directoryUser.created',
  events: ['mail.requested', 'member.added', 'user.left'],
  leaves: { ends: 'the directory takes the person out, or the membership is removed; an invitation ends with its service account' },

  async prepare({ body }, context) {
    const resource = readResource(userType, body);
    const kept = keep(resource, true);
    const account = await accountOf(kept.email, context);
    if (kept.active) return { kept, name: nameOf(resource), account, personId: null, endedId: undefined };
    // A member whom the directory sends as inactive is linked to the row, and removed at once.
    const personId = provenPersonOf(account);
    return { kept, name: nameOf(resource), account: undefined, personId, endedId: await endOf(kept, personId, context) };
  },

  async handle(_input, context, { kept, name, account, personId, endedId }) {
    const { tx, audit } = context;
    const { id: organizationId } = scopeOf(context);
    const locked = account && (await lockEntry(account, { email: kept.email, isReturning: false }, context));
    const row = await insertDirectoryUser(tx, { id: newId(), organizationId, ...kept }).catch(refuseTaken);
    const { by, ...entry } = await entryOf();
    const noted = by === 'nothing' ? row : await noteEntry(tx, row, entry).catch(refuseTaken);
    const { userName, externalId, active } = row;
    audit({ targetType: 'DirectoryUser', targetId: row.id, detail: { by }, after: { userName, externalId, active } });
    return noted ?? row;

    async function entryOf() {
      if (endedId !== undefined) {
        await dropMember({ organizationId, userId: endedId }, context);
        return { by: 'membership' as const, userId: endedId, hasLeft: false };
      }
      if (account === undefined || locked === undefined) {
        const memberId = await findMemberBy(tx, organizationId, kept.email, personId);
        if (memberId === undefined) return { by: 'nothing' as const };
        if (await lockIfDetached(tx, organizationId, memberId)) return { by: 'membership' as const, userId: memberId, hasLeft: false };
        // The person has become a member after `prepare`.
        throw failures.changedMeanwhile();
      }
      return enter({ organizationId, email: kept.email, name, userId: null, hasLeft: false }, account, locked, context);
    }
  },

  complete: async (row, context) => {
    await context.deps.makePerson(row);
    // The id is not known to a client yet, so the person is in no group.
    return showAs(userType, row, { active: row.active }, context.deps);
  },
});

/**
 * Ends the membership of the person with the address, and returns the member's id. All that can be
 * refused is checked first, because rbac commits.
 */
async function endOf(kept: Kept, personId: string | null, context: Context): Promise<string | undefined> {
  const scope = scopeOf(context);
  const memberId = await context.deps.database.scoped(
    scope,
    async (tx) => {
      const field = await findTaken(tx, scope.id, kept);
      if (field !== undefined) throw exists(field);
      const found = await findMemberBy(tx, scope.id, kept.email, personId);
      if (found === undefined) return undefined;
      if (await findDirectoryUserOf(tx, scope.id, found)) throw exists('person');
      return (await findDetached(tx, scope.id, [found])).has(found) ? undefined : found;
    },
    { readOnly: true },
  );
  if (memberId !== undefined) await endMembership({ organizationId: scope.id, userId: memberId }, context);
  return memberId;
}
