import { newId } from '@tessera/kernel/ids';
import { scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import { operation } from '../deps.ts';
import { readResource } from '../domain/scim/resource.ts';
import { userType } from '../domain/scim/schema.ts';
import { findDirectoryUser, insertDirectoryUser, noteEntry } from '../storage/directory-users.ts';
import { accountOf, enter, lockEntry } from './enter.ts';
import { makePerson } from './make-person.ts';
import { Body, keep, nameOf, provision, Shown, scimOnly, show, taken } from './user.ts';

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
  errors: ['CONFLICT', 'FORBIDDEN', 'QUOTA_EXCEEDED', 'RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'],
  audit: 'directoryUser.created',
  events: ['mail.requested', 'member.added'],
  leaves: { ends: 'the directory takes the person out, or the membership is removed; an invitation ends with its service account' },

  async prepare({ body }, context) {
    const resource = readResource(userType, body);
    const kept = keep(resource, true);
    return { kept, name: nameOf(resource), account: kept.active ? await accountOf(kept.email, context) : undefined };
  },

  async handle(_input, context, { kept, name, account }) {
    const { tx, audit } = context;
    const { id: organizationId } = scopeOf(context);
    const locked = account && (await lockEntry(account, { email: kept.email, isReturning: false }, context));
    const row = await insertDirectoryUser(tx, { id: newId(), organizationId, ...kept }).catch((error: unknown) => {
      throw taken(error);
    });
    const { by, ...entry } = await entryOf();
    if (account !== undefined)
      await noteEntry(tx, row, entry).catch((error: unknown) => {
        throw taken(error);
      });
    const { userName, externalId, active } = row;
    audit({ targetType: 'DirectoryUser', targetId: row.id, detail: { by }, after: { userName, externalId, active } });
    return (await findDirectoryUser(tx, organizationId, row.id)) ?? row;

    async function entryOf() {
      if (account === undefined || locked === undefined) return { by: 'nothing' as const };
      return enter({ organizationId, email: kept.email, name, userId: null, hasLeft: false }, account, locked, context);
    }
  },

  complete: async (row, context) => {
    await makePerson(row, context.deps);
    return show(row, context.deps);
  },
});
