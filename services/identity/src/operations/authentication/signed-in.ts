/** What every sign-in to the platform answers. */
import type { OperationContext } from '@tessera/kernel/operation';
import type { Account as WireAccount } from '@tessera/proto/types/tenancy.v1';
import Type, { type Static } from 'typebox';
import type { IdentityDeps } from '../../deps.ts';
import type { OpenedSession } from '../../sign-in/session-issuer.ts';
import { Account, sessionTokens, toAccount } from '../entities.ts';

export const SecondFactorDue = Type.Object(
  {
    token: Type.String({ secret: true, description: 'For POST /api/auth/second-factor; good for five minutes' }),
    methods: Type.Array(Type.Enum(['totp', 'passkey', 'recoveryCode'])),
  },
  { description: 'Instead of tokens, while a second factor is due' },
);

export const SignedIn = Type.Object({
  accessToken: Type.Optional(sessionTokens.accessToken),
  refreshToken: Type.Optional(sessionTokens.refreshToken),
  accounts: Type.Optional(Type.Array(Account)),
  requiresEmailVerification: Type.Optional(Type.Boolean()),
  secondFactor: Type.Optional(SecondFactorDue),
});

export type Finished = {
  readonly opened: OpenedSession;
  readonly accounts: readonly WireAccount[];
  readonly requiresEmailVerification: boolean;
};

/** After the commit: the tokens, and the cookie. */
export async function answerSignIn(
  { opened, accounts, requiresEmailVerification }: Finished,
  { deps, response }: Pick<OperationContext<IdentityDeps>, 'deps' | 'response'>,
): Promise<Static<typeof SignedIn>> {
  const tokens = await deps.sessions.settle(opened);
  deps.sessions.setCookie(response, tokens.refreshToken);
  return { ...tokens, accounts: accounts.map(toAccount), requiresEmailVerification };
}
