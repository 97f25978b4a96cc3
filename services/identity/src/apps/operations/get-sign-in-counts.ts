import { annotate, countsOverTime, Id, pastOf, periodField, periods, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../deps.ts';
import { findSignInCounts } from '../storage/sign-in-counts.ts';

const Count = Type.Integer({ minimum: 0 });

export const getSignInCounts = operation({
  name: 'getSignInCounts',
  summary: 'How many sign-ins to the apps of a project, or to one of them, succeeded and were refused over time',
  kind: 'query',
  input: strict({
    ...scopeField,
    ...periodField,
    appId: Type.Optional(annotate(Id, { description: 'Of this app alone; for an app of type machine, how many tokens it got' })),
  }),
  output: countsOverTime({ signedIn: Count, refused: Count }),
  access: { permission: 'ProjectApp:Query' },
  scopes: ['accountProject', 'organizationProject'],
  verification: 'by-scope',
  isolation: { none: 'one query of the audit log, by the scope that was authorized' },
  errors: [],
  audit: { none: 'reading' },
  events: [],
  rest: { method: 'GET', path: '/api/sign-in-counts' },
  graphql: { field: 'signInCounts', type: 'SignInCounts' },
  handle: async ({ period, appId }, context) => ({
    unit: periods[period].unit,
    counts: await context.deps.database.transaction((tx) => findSignInCounts(tx, scopeOf(context), period, appId), {
      readOnly: true,
      past: pastOf(context),
    }),
  }),
});
