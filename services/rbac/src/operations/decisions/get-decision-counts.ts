import { countsOverTime, periodField, periods, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import { tenants } from '@tessera/kernel/scope';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { findDecisionCounts } from '../../storage/decision-counts.ts';

const Count = Type.Integer({ minimum: 0 });

export const getDecisionCounts = operation({
  name: 'getDecisionCounts',
  summary: 'How many questions were allowed and refused in a scope over time, and beside them Tessera’s own checks; a few seconds late.',
  kind: 'query',
  input: strict({ ...scopeField, ...periodField }),
  output: countsOverTime({ allowed: Count, refused: Count, own: Count }),
  access: { permission: 'Permission:Query' },
  scopes: tenants,
  verification: 'by-scope',
  errors: [],
  audit: { none: 'reads leave no trace' },
  events: [],
  rest: { method: 'GET', path: '/api/decision-counts' },
  graphql: { field: 'decisionCounts', type: 'DecisionCounts' },
  handle: async ({ period }, context) => ({
    unit: periods[period].unit,
    counts: await findDecisionCounts(context.tx, scopeOf(context), period),
  }),
});
