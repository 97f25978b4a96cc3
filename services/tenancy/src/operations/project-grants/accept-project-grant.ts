import { failures, isUniqueViolation } from '@tessera/kernel/errors';
import { Id, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { lockOrganization } from '../../storage/organizations.ts';
import { answer, assertAddressee, assertStillOffered } from './offer.ts';
import { customerSide, MailedToken, makeMove, ProjectGrantSchema, recordMove, requireOwner, showGrant } from './project-grant.ts';

export const acceptProjectGrant = operation({
  name: 'acceptProjectGrant',
  summary: 'Accept an offered project for the organization; only an Owner can. An offer by mail is taken with its token',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id, token: MailedToken }),
  output: ProjectGrantSchema,
  access: { permission: 'ProjectGrant:Update' },
  scopes: customerSide,
  verification: 'by-scope',
  freshness: { minutes: 10 },
  limit: { global: 'the token has 256 random bits' },
  errors: ['NOT_FOUND', 'CONFLICT', 'BAD_USER_INPUT'],
  audit: 'grant.accepted',
  events: ['grant.changed', 'owners.told'],
  leaves: { ends: 'the grant is the organization’s: an Owner leaves it, or the owner of the project ends it' },
  rest: { method: 'POST', path: '/api/project-grants/:id/accept' },
  graphql: { field: 'acceptProjectGrant', type: 'ProjectGrant' },
  prepare: async ({ id, token }, context) => {
    await requireOwner(context);
    if (token !== undefined) await assertAddressee(id, token, context);
    return assertStillOffered(id, token !== undefined, context);
  },
  handle: async ({ id, token }, context) => {
    // Held until the commit: its deletion ends the grant, or has come first.
    if ((await lockOrganization(context.tx, scopeOf(context).id)) === undefined) throw failures.notFound('Organization');
    const move = { operation: 'acceptProjectGrant', action: 'grant.accepted', move: 'accept' } as const;
    if (token === undefined) return makeMove(id, move, context);
    const grant = await answer({ id, token, isTaken: true }, context).catch((error: unknown) => {
      if (isUniqueViolation(error, 'project_grants_pair'))
        throw errors.grantExists({ extensions: { resource: 'ProjectGrant', field: 'scope' } });
      throw error;
    });
    await recordMove({ grant, before: { ...grant, status: 'offered' } }, move, context);
    return grant;
  },
  complete: showGrant,
});
