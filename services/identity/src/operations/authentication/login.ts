import { normalizeAddress } from '@tessera/kernel/addresses';
import { strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { emailProvider } from '../../domain/people.ts';
import { isVerified } from '../../domain/session.ts';
import { errors } from '../../errors.ts';
import { accountsOf } from '../../peers/accounts.ts';
import { comparePassword } from '../../sign-in/lockout.ts';
import { renewHash } from '../../sign-in/password.ts';
import { deferSignIn, isSecondFactorDue } from '../../sign-in/sign-in.ts';
import { findCredentialsOnDevice } from '../../storage/authentication-methods.ts';
import { rememberAccounts } from '../../storage/people.ts';
import { deviceKey } from '../../tokens/opaque-token.ts';
import { Address, PasswordCredentials } from '../entities.ts';
import { answerSignIn, SignedIn } from './signed-in.ts';

/** The same error as for an unknown address. The audit log names the person. */
function wrongPasswordOf(userId: string) {
  return errors.wrongCredentials({ audited: { targetType: 'User', targetId: userId } });
}

export const login = operation({
  name: 'login',
  summary: 'Sign in; reuses the session of the same device',
  kind: 'mutation',
  input: strict({ provider: Type.Enum([emailProvider]), providerId: Address, providerData: PasswordCredentials }),
  output: SignedIn,
  access: { open: 'the caller has no token yet' },
  scopes: 'none',
  verification: { exempt: 'an unverified user may sign in' },
  errors: ['UNAUTHENTICATED', 'SERVICE_UNAVAILABLE'],
  audit: 'session.login',
  events: [],
  rest: { method: 'POST', path: '/api/auth/login' },
  graphql: { field: 'login' },
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
    const found = { ...method, passwordHash };
    // No tokens are made yet: the sign-in goes on at POST /api/auth/second-factor.
    if (isSecondFactorDue(method.factors)) return { method: found };
    const holder = { userId: method.userId, methods: method.methods, scope: null, proof: { amr: ['pwd'], authenticatedAt: now } } as const;
    const [plan, accounts] = await Promise.all([
      deps.sessions.plan(holder, request, method.deviceSessionId ?? undefined),
      accountsOf(deps.tenancy, method.userId, method.accounts),
    ]);
    return { method: found, session: { plan, accounts } };
  },

  async handle(_input, { tx, deps, now, audit }, { method, session }) {
    const { id: methodId, userId, passwordHash, factors } = method;
    if (session === undefined) {
      const secondFactor = await deferSignIn(tx, { userId, methodId, passwordHash, factors, amr: ['pwd'] }, now);
      if (secondFactor === undefined) throw wrongPasswordOf(userId);
      audit({
        action: 'session.second-factor-due',
        actorId: userId,
        targetType: 'User',
        targetId: userId,
        detail: { provider: emailProvider },
      });
      return { secondFactor };
    }
    const { plan, accounts } = session;
    const opened = await deps.sessions.open(tx, plan, method, now);
    if (opened === undefined) throw wrongPasswordOf(method.userId);
    if (method.accounts === null) await rememberAccounts(tx, method.userId, accounts);
    audit({
      actorId: method.userId,
      targetType: 'UserSession',
      targetId: opened.sessionId,
      detail: { provider: emailProvider, authenticationMethodId: method.id },
    });
    return { opened, accounts, requiresEmailVerification: !isVerified(method.methods) };
  },

  async complete(result, context) {
    return 'secondFactor' in result ? { secondFactor: result.secondFactor } : answerSignIn(result, context);
  },
});
