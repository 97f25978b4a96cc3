import { isUniqueViolation } from '@tessera/kernel/errors';
import { newId } from '@tessera/kernel/ids';
import { annotate, callerOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { readNewPasskey } from '../../factors/passkeys.ts';
import { insertPasskey } from '../../storage/second-factors.ts';
import {
  Credential,
  FactorName,
  issueRecoveryCodes,
  lockFactorsToAdd,
  noteFactorChange,
  RecoveryCodes,
  raiseSession,
  SecondFactor,
} from './second-factor.ts';

export const createPasskey = operation({
  name: 'createPasskey',
  summary: 'Add a passkey that the browser has made; ends the other sessions',
  kind: 'mutation',
  input: strict({
    name: Type.Optional(FactorName),
    credential: annotate(Credential, { description: 'RegistrationResponseJSON, as the browser writes it' }),
  }),
  output: Type.Object({ factor: SecondFactor, recoveryCodes: Type.Optional(RecoveryCodes) }),
  access: { signedIn: 'adds a passkey of the caller' },
  scopes: 'none',
  verification: 'account-settings',
  freshness: { minutes: 10 },
  errors: ['CONFLICT', 'SECOND_FACTOR_REQUIRED', 'ADDRESS_NOT_HELD'],
  audit: 'second-factor.created',
  events: [],
  leaves: { ends: 'a way to sign in ends when it is removed, or with the person' },
  rest: { method: 'POST', path: '/api/me/passkeys', status: 201 },
  graphql: { field: 'createPasskey', type: 'AddedFactorResult' },

  async prepare({ credential }, context) {
    const passkey = await readNewPasskey(credential, callerOf(context).userId, context.deps);
    if (passkey === undefined) throw errors.passkeyRefused({ extensions: { field: 'credential' } });
    return passkey;
  },

  async handle({ name = 'Passkey' }, context, passkey) {
    const { tx, now, audit } = context;
    const { userId } = callerOf(context);
    const hadFactor = await lockFactorsToAdd(context);
    const factor = await insertPasskey(tx, { id: newId(), userId, name, ...passkey }, now).catch((error: unknown) => {
      throw isUniqueViolation(error, 'second_factors_credential')
        ? errors.passkeyTaken({ extensions: { resource: 'SecondFactor', field: 'credential' } })
        : error;
    });
    await raiseSession(context, [passkey.isSynced ? 'swk' : 'hwk', 'mfa']);
    const revocations = await noteFactorChange(context, 'factor-added', 'passkey');
    audit({ targetId: factor.id, after: { kind: 'passkey', name } });
    return { factor, revocations, ...(hadFactor ? {} : { recoveryCodes: await issueRecoveryCodes(tx, userId, now) }) };
  },

  async complete({ revocations, ...result }, { deps }) {
    deps.revoker.announce(revocations);
    deps.mailer.poke();
    return result;
  },
});
