import { normalizeAddress } from '@tessera/kernel/addresses';
import { strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { emailProvider } from '../../../ground/domain/people.ts';
import { deviceKey } from '../../../ground/tokens/opaque-token.ts';
import { Address, PasswordCredentials } from '../../../people/operations/entities.ts';
import { renewHash } from '../../../people/password.ts';
import { findCredentialsOnDevice } from '../../../people/storage/authentication-methods.ts';
import { operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { comparePassword } from '../../lockout.ts';
import { openSignIn, planSignIn } from '../../sign-in.ts';
import { SignedIn, toSignedIn } from './signed-in.ts';

/** The same error as for an unknown address. The audit log names the person. */
function wrongPasswordOf(userId: string) {
  return errors.wrongCredentials({ audited: { targetType: 'User', targetId: userId } });
}

export const login = operation({
  name: 'login',
  summary: 'Sign in; reuses the session of the same device',
  kind: 'mutation',
  input: strict({
    provider: Type.Enum([emailProvider], { graphqlType: 'String' }),
    providerId: Address,
    providerData: PasswordCredentials,
  }),
  output: SignedIn,
  access: { open: 'the caller has no token yet' },
  scopes: 'none',
  verification: { exempt: 'an unverified user may sign in' },
  limit: 'auth',
  errors: ['UNAUTHENTICATED', 'SERVICE_UNAVAILABLE', 'SIGN_IN_BUSY', 'CONNECTION_REQUIRED'],
  audit: 'session.login',
  events: [],
  leaves: { ends: 'sessions and tokens end by a sign-out, a reset, or with the person' },
  rest: { method: 'POST', path: '/api/auth/login' },
  graphql: { field: 'login', type: 'LoginResult' },
  clauses: ['spec:auth.1', 'spec:session-states.1', 'spec:session-states.2'],

  async prepare({ providerId, providerData: { password } }, { deps, request, now }) {
    const startedMs = performance.now();
    const device = deviceKey(request.userAgent, request.ipAddress);
    const address = normalizeAddress(providerId);
    const method = await findCredentialsOnDevice(deps.database, emailProvider, address, device);
    const isRight = await comparePassword(address, password, method, request, deps);
    if (!isRight) await deps.refusalPace(startedMs);
    if (method === undefined) throw errors.wrongCredentials();
    if (!isRight || method.passwordHash === null) throw wrongPasswordOf(method.userId);
    const passwordHash = await renewHash({ ...method, passwordHash: method.passwordHash }, password, deps, now);
    if (passwordHash === undefined) throw wrongPasswordOf(method.userId);
    return planSignIn(
      {
        door: 'password',
        person: method,
        proof: { methodId: method.id, passwordHash, amr: ['pwd'] },
        detail: { provider: emailProvider, authenticationMethodId: method.id },
        refusal: () => wrongPasswordOf(method.userId),
      },
      { deps, request, now },
    );
  },

  handle: (_input, context, planned) => openSignIn(planned, context),
  complete: toSignedIn,
});
