import { strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { PublicBranding, toPublic } from './branding.ts';

const Reference = Type.Optional(Type.String({ minLength: 1, maxLength: 200 }));

export const getPublicBranding = operation({
  name: 'getPublicBranding',
  summary: 'What hosted pages show of an app or an organization; the installation’s own for an unknown id, or without one',
  kind: 'query',
  input: strict({ client_id: Reference, organization: Reference }),
  output: PublicBranding,
  access: { open: 'shown before the sign-in; the same answer for every unknown id' },
  scopes: 'none',
  verification: { exempt: 'the caller may not be signed in' },
  isolation: { none: 'one query, kept for seconds' },
  errors: [],
  audit: { none: 'public facts' },
  events: [],
  rest: { method: 'GET', path: '/api/branding/public' },
  graphql: { field: 'publicBranding', type: 'PublicBranding' },

  async handle({ client_id: clientId, organization }, { deps }) {
    const { faces } = deps;
    if (clientId !== undefined) return toPublic(await faces.ofClient(clientId), deps);
    return toPublic(organization === undefined ? faces.platform : await faces.ofOrganization(organization), deps);
  },
});
