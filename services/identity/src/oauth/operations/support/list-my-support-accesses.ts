import { callerOf, pageOf, strict } from '@tessera/kernel/operation';
import { pageSupportAccesses } from '../../../apps/storage/support-accesses.ts';
import { operation } from '../../deps.ts';
import { pageInput } from '../consents/list-consents.ts';
import { SupportAccess, toSupportAccesses } from './support-access.ts';

export const listMySupportAccesses = operation({
  name: 'listMySupportAccesses',
  summary: 'Supporters who ask to act, act or acted as the caller, and what they did last; the newest request first',
  kind: 'query',
  input: strict(pageInput),
  output: pageOf(SupportAccess),
  access: { signedIn: 'shows who acts as the caller' },
  scopes: 'none',
  verification: 'by-scope',
  errors: [],
  audit: { none: 'reads who acts as the caller' },
  events: [],
  rest: { method: 'GET', path: '/api/me/support-access' },
  graphql: { field: 'mySupportAccesses', type: 'MySupportAccessPage', items: 'mySupportAccesses' },

  handle: (page, context) => pageSupportAccesses(context.tx, { userId: callerOf(context).userId }, page),

  complete: async ({ rows, totalCount, hasNextPage }, context) => ({
    items: await toSupportAccesses(rows, context),
    totalCount,
    hasNextPage,
  }),
});
