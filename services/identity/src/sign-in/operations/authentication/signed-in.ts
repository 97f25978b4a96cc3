/** What every sign-in to the platform answers. */
import { Nullable, type OperationContext } from '@tessera/kernel/operation';
import Type, { type Static } from 'typebox';
import { Account, sessionTokens, toAccount } from '../../../people/operations/entities.ts';
import type { SignInDeps } from '../../deps.ts';
import { answerSignIn, type SignInResult } from '../../sign-in.ts';

export const SecondFactorDue = Type.Object(
  {
    token: Type.String({ secret: true, description: 'For POST /api/auth/second-factor; good for five minutes' }),
    methods: Type.Array(Type.Enum(['totp', 'passkey', 'recoveryCode'])),
  },
  { description: 'Instead of tokens, while a second factor is due' },
);

export const ContinueAs = Type.Object(
  {
    code: Type.String({ secret: true, description: 'For the same request, with isConfirmed: true' }),
    name: Type.String(),
    email: Nullable(Type.String()),
    connection: Type.String({ description: 'The name of the connection' }),
  },
  { description: 'Instead of tokens: ask the person whether they want to go on as this account' },
);

export const SignedIn = Type.Object({
  accessToken: Type.Optional(sessionTokens.accessToken),
  refreshToken: Type.Optional(sessionTokens.refreshToken),
  accounts: Type.Optional(Type.Array(Account)),
  requiresEmailVerification: Type.Optional(Type.Boolean()),
  secondFactor: Type.Optional(SecondFactorDue),
});

/** After the commit: the tokens and the cookie, or the question for the second factor. */
export async function toSignedIn(
  result: SignInResult,
  context: Pick<OperationContext<SignInDeps>, 'deps' | 'response'>,
): Promise<Static<typeof SignedIn>> {
  if ('secondFactor' in result) return { secondFactor: result.secondFactor };
  const { accounts, requiresEmailVerification } = result;
  return { ...(await answerSignIn(result, context)), accounts: accounts.map(toAccount), requiresEmailVerification };
}
