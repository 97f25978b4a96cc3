import { callerOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { issueRecoveryCodes, lockFactorsToAdd, noteFactorChange, RecoveryCodes } from './second-factor.ts';

export const renewRecoveryCodes = operation({
  name: 'renewRecoveryCodes',
  summary: 'Make ten new recovery codes; the old ones end, and so do the other sessions',
  kind: 'mutation',
  input: strict({}),
  output: Type.Object({ recoveryCodes: RecoveryCodes }),
  access: { signedIn: 'makes codes of the caller' },
  scopes: 'none',
  verification: 'account-settings',
  assurance: 'aal2',
  freshness: { minutes: 10 },
  errors: ['CONFLICT', 'ADDRESS_NOT_HELD'],
  audit: 'recovery-codes.renewed',
  events: [],
  leaves: { ends: 'a way to sign in ends when it is removed, or with the person' },
  rest: { method: 'POST', path: '/api/me/recovery-codes' },
  graphql: { field: 'renewRecoveryCodes', type: 'RecoveryCodesResult' },

  async handle(_input, context) {
    if (!(await lockFactorsToAdd(context))) throw errors.noSecondFactor();
    const recoveryCodes = await issueRecoveryCodes(context.tx, callerOf(context).userId, context.now);
    return { recoveryCodes, revocations: await noteFactorChange(context, 'recovery-codes-renewed', 'recoveryCodes') };
  },

  async complete({ recoveryCodes, revocations }, { deps }) {
    deps.revoker.announce(revocations);
    deps.mailer.poke();
    return { recoveryCodes };
  },
});
