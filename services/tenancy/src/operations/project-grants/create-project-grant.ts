import { isAddress, normalizeAddress } from '@tessera/kernel/addresses';
import { failures } from '@tessera/kernel/errors';
import { newId } from '@tessera/kernel/ids';
import { annotate, callerOf, exampleId, freshnessOf, Id, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { expiryOf } from '../../domain/invitation.ts';
import { errors } from '../../errors.ts';
import { findOrganizations } from '../../storage/organizations.ts';
import { insertGrant, insertOffer } from '../../storage/project-grants.ts';
import { lockProject } from '../../storage/projects.ts';
import { countMail } from '../invitations/count-mail.ts';
import { createToken } from '../invitations/token.ts';
import type { Context } from '../related.ts';
import { letterTo, offerMail } from './letters.ts';
import { offers } from './offer.ts';
import { assertProjectRoles, grantTerms, ownerSide, ProjectGrantSchema, recordOnBothSides, showGrant } from './project-grant.ts';

export const createProjectGrant = operation({
  name: 'createProjectGrant',
  summary: 'Offer a project to another organization, by its id or by the address of an Owner; it is used once an Owner there has accepted',
  kind: 'mutation',
  input: strict({
    ...scopeField,
    organizationId: Type.Optional(annotate(Id, { description: 'The customer; either this or email' })),
    email: Type.Optional(
      Type.String({
        maxLength: 320,
        pattern: '^[^\\s@]+@[^\\s@]+$',
        description: 'Where the offer is mailed; an Owner there takes it',
        examples: [],
      }),
    ),
    roleIds: Type.Optional(grantTerms.roleIds),
    allowCustomRoles: Type.Optional(grantTerms.allowCustomRoles),
    maxMembers: Type.Optional(grantTerms.maxMembers),
    metadata: Type.Optional(grantTerms.metadata),
  }),
  output: ProjectGrantSchema,
  access: { permission: 'ProjectGrant:Create' },
  scopes: ownerSide,
  verification: 'by-scope',
  errors: ['NOT_FOUND', 'CONFLICT', 'RATE_LIMIT_EXCEEDED'],
  audit: 'grant.offered',
  events: ['owners.told', 'mail.requested'],
  leaves: { ends: 'an offer gives nothing before an Owner of another organization accepts it, and its maker must be able to make it then' },
  rest: { method: 'POST', path: '/api/project-grants', status: 201 },
  graphql: { field: 'createProjectGrant', type: 'ProjectGrant' },
  example: {
    input: { organizationId: exampleId('Customer'), roleIds: null, maxMembers: 25, metadata: { plan: 'pro' } },
    records: ['maxMembers', 'metadata'],
  },
  prepare: async ({ roleIds, ...to }, context) => {
    const [addressee, voucher] = await Promise.all([
      findAddressee(to, context),
      context.deps.vouchers.of(callerOf(context).subject, scopeOf(context), freshnessOf(context), offers),
      assertProjectRoles(roleIds, context),
    ]);
    return { addressee, voucher };
  },
  handle: async ({ roleIds = null, allowCustomRoles = true, maxMembers = null, metadata = {} }, context, { addressee, voucher }) => {
    const { organizationId: ownerOrganizationId = '', projectId = '' } = scopeOf(context);
    // Before anything is locked. The Owners of an organization get a mail too.
    const to = 'email' in addressee ? addressee.email : addressee.organizationId;
    const senderId = await countMail(to, context, { organizationId: ownerOrganizationId });
    // Held until the commit: a project that is being deleted is not offered.
    if ((await lockProject(context.tx, { tenant: 'organization', id: ownerOrganizationId }, projectId)) === undefined)
      throw failures.notFound('Project');
    const terms = { roleIds, allowCustomRoles, maxMembers, metadata };
    const offered = { id: newId(), projectId, ownerOrganizationId, createdBy: callerOf(context).userId, voucher, ...terms };
    const recorded = { operation: 'createProjectGrant', action: 'grant.offered' };
    if ('email' in addressee) {
      const { token, tokenHash } = createToken();
      const expiresAt = expiryOf(context.now, context.deps.invitations.lifetimeDays);
      const grant = await insertOffer(context.tx, { ...offered, ...addressee, tokenHash, expiresAt });
      if (grant === undefined) throw errors.offerExists({ extensions: { resource: 'ProjectGrant', field: 'email' } });
      await recordOnBothSides(grant, recorded, context);
      if (addressee.isMailed) context.emit(await offerMail({ ...grant, ...addressee, expiresAt }, { token, senderId }, context));
      return grant;
    }
    const grant = await insertGrant(context.tx, { ...offered, organizationId: addressee.organizationId });
    if (grant === undefined) throw errors.grantExists({ extensions: { resource: 'ProjectGrant', field: 'organizationId' } });
    await recordOnBothSides(grant, recorded, context);
    context.emit(await letterTo('customer', 'grant-offered', grant, context));
    return grant;
  },
  complete: showGrant,
});

type Addressee = { readonly organizationId: string } | { readonly email: string; readonly isMailed: boolean };
type Named = { readonly organizationId?: string; readonly email?: string };

async function findAddressee({ organizationId, email: typed }: Named, context: Context): Promise<Addressee> {
  if ((organizationId === undefined) === (typed === undefined))
    throw failures.validation('organizationId', {
      en: 'or email must be given, and not both',
      de: 'oder email muss angegeben sein, und nicht beides',
    });
  if (organizationId !== undefined) {
    if (organizationId === scopeOf(context).organizationId) throw errors.ownProject({ extensions: { field: 'organizationId' } });
    const customers = await findOrganizations({ query: context.deps.database.query }, [organizationId]);
    if (customers.length === 0) throw failures.notFound('Organization');
    return { organizationId };
  }
  const email = normalizeAddress(typed ?? '');
  if (!isAddress(email)) throw failures.validation('email', { en: 'is not an email address', de: 'ist keine E-Mail-Adresse' });
  const { refusesInvitations } = await context.deps.identity.findUserByEmail({ email });
  return { email, isMailed: !refusesInvitations };
}
