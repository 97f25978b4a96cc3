import { failures } from '@tessera/kernel/errors';
import { callerOf, Id, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { assertRight, tryProof } from '../../factors/proof.ts';
import { stepOfCode } from '../../factors/totp.ts';
import { findTotp, useTotpStep } from '../../storage/second-factors.ts';
import {
  Code,
  issueRecoveryCodes,
  lockFactorsToAdd,
  noteFactorChange,
  RecoveryCodes,
  raiseSession,
  SecondFactor,
} from './second-factor.ts';

export const confirmSecondFactor = operation({
  name: 'confirmSecondFactor',
  summary: 'Confirm an authenticator app with a code; ends the other sessions',
  kind: 'mutation',
  input: strict({ id: Id, code: Code }),
  output: Type.Object({ factor: SecondFactor, recoveryCodes: Type.Optional(RecoveryCodes) }),
  access: { signedIn: 'confirms a factor of the caller' },
  scopes: 'none',
  verification: 'account-settings',
  freshness: { minutes: 10 },
  limit: { global: 'wrong codes are counted for each person' },
  errors: ['NOT_FOUND', 'UNAUTHENTICATED', 'SECOND_FACTOR_REQUIRED', 'ADDRESS_NOT_HELD', 'RATE_LIMIT_EXCEEDED'],
  audit: 'second-factor.confirmed',
  events: [],
  leaves: { ends: 'a way to sign in ends when it is removed, or with the person' },
  rest: { method: 'POST', path: '/api/me/second-factors/:id/confirm' },
  graphql: { field: 'confirmSecondFactor', type: 'AddedFactorResult' },

  async prepare({ id, code }, context) {
    const { deps, now, request } = context;
    const { userId } = callerOf(context);
    const totp = await findTotp(deps.database, userId);
    if (totp === undefined || totp.id !== id || totp.isConfirmed) throw failures.notFound('SecondFactor');
    const step = stepOfCode(deps.factorSecrets.open(id, totp), code, now);
    // A right code changes nothing yet: the factor is confirmed with the rest of the change.
    const outcome = await tryProof(userId, async () => step !== undefined, undefined, { deps, now, language: request.language });
    assertRight(outcome, userId);
    return step ?? 0;
  },

  async handle({ id }, context, step) {
    const { tx, now, audit } = context;
    const { userId } = callerOf(context);
    const hadFactor = await lockFactorsToAdd(context);
    // Another enrolment has replaced this secret, or confirmed it, meanwhile.
    const known = await findTotp(tx, userId);
    if (known?.id !== id || known.isConfirmed) throw failures.notFound('SecondFactor');
    const factor = await useTotpStep(tx, id, step, now);
    if (factor === undefined) throw failures.notFound('SecondFactor');
    await raiseSession(context, ['otp', 'mfa']);
    const revocations = await noteFactorChange(context, 'factor-added', 'totp');
    audit({ targetId: id, before: { isConfirmed: false }, after: { isConfirmed: true } });
    return { factor, revocations, ...(hadFactor ? {} : { recoveryCodes: await issueRecoveryCodes(tx, userId, now) }) };
  },

  async complete({ revocations, ...result }, { deps }) {
    deps.revoker.announce(revocations);
    deps.mailer.poke();
    return result;
  },
});
