import { failures } from '@tessera/kernel/errors';
import { callerOf, Id, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { deleteFactor } from '../../storage/second-factors.ts';
import { FactorResult, lockFactors, noteFactorChange } from './second-factor.ts';

export const deleteSecondFactor = operation({
  name: 'deleteSecondFactor',
  summary: 'Remove a factor; recovery codes go with the last one. Ends the other sessions',
  kind: 'mutation',
  input: strict({ id: Id }),
  output: FactorResult,
  access: { signedIn: 'removes a factor of the caller' },
  scopes: 'none',
  verification: 'account-settings',
  assurance: 'aal2',
  freshness: { minutes: 10 },
  errors: ['NOT_FOUND'],
  audit: 'second-factor.deleted',
  events: [],
  leaves: 'nothing',
  rest: { method: 'DELETE', path: '/api/me/second-factors/:id' },
  graphql: { field: 'deleteSecondFactor', type: 'SecondFactorResult' },

  async handle({ id }, context) {
    await lockFactors(context);
    const factor = await deleteFactor(context.tx, callerOf(context).userId, id);
    if (factor === undefined) throw failures.notFound('SecondFactor');
    const revocations = await noteFactorChange(context, 'factor-removed', factor.kind);
    context.audit({ targetId: id, before: { kind: factor.kind, name: factor.name } });
    return { factor, revocations };
  },

  async complete({ factor, revocations }, { deps }) {
    deps.revoker.announce(revocations);
    deps.mailer.poke();
    return { factor };
  },
});
