import { failures } from '@tessera/kernel/errors';
import { assertVersion, callerOf, Id, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { listFactors, lockFactor, renameFactor } from '../../storage/second-factors.ts';
import { FactorName, FactorResult } from './second-factor.ts';

export const updateSecondFactor = operation({
  name: 'updateSecondFactor',
  summary: 'Give a factor another name',
  kind: 'mutation',
  input: strict({ id: Id, name: FactorName }),
  output: FactorResult,
  access: { signedIn: 'renames a factor of the caller' },
  scopes: 'none',
  verification: 'account-settings',
  errors: ['NOT_FOUND'],
  audit: 'second-factor.updated',
  events: [],
  leaves: 'nothing',
  rest: { method: 'PATCH', path: '/api/me/second-factors/:id' },
  graphql: { field: 'updateSecondFactor', type: 'SecondFactorResult' },

  async handle({ id, name }, context) {
    await assertVersion(context.request, () => lockFactor(context.tx, callerOf(context).userId, id));
    const before = (await listFactors(context.tx, callerOf(context).userId)).find((known) => known.id === id);
    const factor = await renameFactor(context.tx, callerOf(context).userId, id, name, context.now);
    if (factor === undefined) throw failures.notFound('SecondFactor');
    context.audit({ targetType: 'SecondFactor', targetId: id, ...(before && { before }), after: { name } });
    return { factor };
  },
});
