import { scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { listSupportConsents as list } from '../../../apps/storage/support-accesses.ts';
import { operation } from '../../deps.ts';
import { SupportConsent, toSupportConsents } from './support-consent.ts';

export const listSupportConsents = operation({
  name: 'listSupportConsents',
  summary: 'Whose supporters may begin without asking, until when',
  kind: 'query',
  input: strict(scopeField),
  output: Type.Object({ items: Type.Array(SupportConsent) }),
  access: { permission: 'SupportAccess:Query' },
  scopes: ['organization'],
  verification: 'by-scope',
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: [],
  audit: { none: 'a list of consents' },
  events: [],
  rest: { method: 'GET', path: '/api/support-consents' },
  graphql: { field: 'supportConsents', type: 'SupportConsentList', items: 'supportConsents' },

  handle: (_input, context) => list(context.tx, scopeOf(context).id, context.now),
  complete: async (rows, context) => ({ items: await toSupportConsents(rows, context) }),
});
