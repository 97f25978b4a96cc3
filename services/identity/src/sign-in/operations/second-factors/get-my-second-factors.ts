import { callerOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { listFactors } from '../../storage/second-factors.ts';
import { SecondFactor } from './second-factor.ts';

export const getMySecondFactors = operation({
  name: 'getMySecondFactors',
  summary: 'The caller’s second factors, and how many recovery codes are left',
  kind: 'query',
  input: strict({}),
  output: Type.Object({ items: Type.Array(SecondFactor) }),
  access: { signedIn: 'lists factors of the caller', whenLinked: true },
  scopes: 'none',
  verification: 'by-scope',
  isolation: { none: 'one query' },
  errors: [],
  audit: { none: 'reads one’s own factors' },
  events: [],
  rest: { method: 'GET', path: '/api/me/second-factors' },
  graphql: { field: 'mySecondFactors', type: 'MySecondFactors' },
  handle: async (_input, context) => ({ items: await listFactors(context.deps.database, callerOf(context).userId) }),
});
