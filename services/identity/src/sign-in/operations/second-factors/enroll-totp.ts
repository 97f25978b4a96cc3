import { newId } from '@tessera/kernel/ids';
import { callerOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { addressOf } from '../../../ground/domain/people.ts';
import { listMethods } from '../../../people/storage/authentication-methods.ts';
import { operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { newTotpSecret, totpUri } from '../../factors/totp.ts';
import { findTotp, insertTotp } from '../../storage/second-factors.ts';
import { FactorName, lockFactorsToAdd, SecondFactor } from './second-factor.ts';

export const enrollTotp = operation({
  name: 'enrollTotp',
  summary: 'Begin to set up an authenticator app; a code of it confirms the factor',
  kind: 'mutation',
  input: strict({ name: Type.Optional(FactorName) }),
  output: Type.Object({
    factor: SecondFactor,
    secret: Type.String({ secret: true, description: 'Base32, for people who cannot scan' }),
    uri: Type.String({ secret: true, description: 'otpauth, for a QR code' }),
  }),
  access: { signedIn: 'adds a factor of the caller' },
  scopes: 'none',
  verification: 'account-settings',
  freshness: { minutes: 10 },
  errors: ['CONFLICT', 'SECOND_FACTOR_REQUIRED', 'ADDRESS_NOT_HELD'],
  audit: 'second-factor.enrolled',
  events: [],
  leaves: { ends: 'a way to sign in ends when it is removed, or with the person' },
  rest: { method: 'POST', path: '/api/me/second-factors/totp', status: 201 },
  graphql: { field: 'enrollTotp', type: 'EnrollTotpResult' },

  async handle({ name = 'Authenticator app' }, context) {
    const { tx, deps, now, audit } = context;
    const { userId } = callerOf(context);
    await lockFactorsToAdd(context);
    if ((await findTotp(tx, userId))?.isConfirmed) throw errors.totpExists({ extensions: { resource: 'SecondFactor', field: 'kind' } });
    const [id, secret] = [newId(), newTotpSecret()];
    const factor = await insertTotp(tx, { id, userId, name, ...deps.factorSecrets.seal(id, secret) }, now);
    audit({ targetType: 'SecondFactor', targetId: id, after: { kind: 'totp', name } });
    const address = addressOf(await listMethods(tx, [userId])) ?? userId;
    return { factor, secret, uri: totpUri(secret, address, deps.settings.productName) };
  },
});
