import { failures } from '@tessera/kernel/errors';
import { Id, Nullable, strict, Timestamp } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { findOfferByToken } from '../../storage/project-grants.ts';
import { hashToken } from '../invitations/token.ts';
import { offerState, offerStates } from './offer.ts';
import { OfferToken, ProjectGrantSchema, showGrant } from './project-grant.ts';

const { project, ownerOrganization, roles, allowCustomRoles, maxMembers } = ProjectGrantSchema.properties;

/** Who still has the link of a used offer learns no address, and no terms of today. */
const closed = { email: '', expiresAt: null, roles: [], allowCustomRoles: false, maxMembers: null };

export const getProjectGrantOffer = operation({
  name: 'getProjectGrantOffer',
  summary: 'Read an offer by mail by its token: which project of whom, and for which address',
  kind: 'query',
  input: strict({ token: OfferToken }),
  output: strict({
    id: Id,
    state: Type.Enum([...offerStates]),
    email: Type.String({ description: 'Empty, like the terms, once the offer is not open any more' }),
    expiresAt: Nullable(Timestamp),
    project,
    ownerOrganization,
    roles,
    allowCustomRoles,
    maxMembers,
  }),
  access: { open: 'the token in the mail is the credential' },
  scopes: 'none',
  verification: { exempt: 'the caller is not signed in' },
  isolation: { unscoped: 'the token’s hash is the condition' },
  limit: { global: 'the token has 256 random bits' },
  errors: ['NOT_FOUND'],
  audit: { none: 'a read by the addressee' },
  events: [],
  rest: { method: 'GET', path: '/api/project-grants/offers/:token' },
  graphql: { field: 'projectGrantOffer', type: 'ProjectGrantOffer' },
  handle: async ({ token }, { tx }) => {
    const offer = await findOfferByToken(tx, hashToken(token));
    if (offer === undefined) throw failures.notFound('ProjectGrant');
    return offer;
  },
  complete: async (offer, context) => {
    const { isExpired: _, ...grant } = offer;
    const state = offerState(offer);
    const shown = await showGrant(grant, context);
    const { id, expiresAt, allowCustomRoles, maxMembers, project, ownerOrganization, roles } = shown;
    const terms = { allowCustomRoles, maxMembers, roles };
    if (state !== 'open') return { id, state, project, ownerOrganization, ...closed };
    return { id, state, email: offer.email, expiresAt, project, ownerOrganization, ...terms };
  },
});
