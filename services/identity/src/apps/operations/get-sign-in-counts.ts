import { scopeField, scopeOf, strict, Timestamp } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../deps.ts';
import { findSignInCounts, periods } from '../storage/sign-in-counts.ts';

const Count = Type.Integer({ minimum: 0 });

export const getSignInCounts = operation({
  name: 'getSignInCounts',
  summary: 'How many sign-ins to the apps of a project succeeded and were refused over time',
  kind: 'query',
  input: strict({ ...scopeField, period: Type.Enum(['day', 'week', 'month']) }),
  output: Type.Object({
    unit: Type.Enum(['hour', 'day'], { description: 'How long a step is, by UTC; the last one is not over yet' }),
    counts: Type.Array(Type.Object({ at: Timestamp, signedIn: Count, refused: Count })),
  }),
  access: { permission: 'ProjectApp:Query' },
  scopes: ['accountProject', 'organizationProject'],
  verification: 'by-scope',
  isolation: { none: 'one query of the audit log, by the scope that was authorized' },
  errors: [],
  audit: { none: 'reading' },
  events: [],
  rest: { method: 'GET', path: '/api/sign-in-counts' },
  graphql: { field: 'signInCounts', type: 'SignInCounts' },
  handle: async ({ period }, context) => ({
    unit: periods[period].unit,
    counts: await findSignInCounts(context.deps.database, scopeOf(context), period),
  }),
});
