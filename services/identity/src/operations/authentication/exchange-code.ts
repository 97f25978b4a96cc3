import { strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { accountsOf } from '../../peers/accounts.ts';
import { isBoundBrowser } from '../../sign-in/browser-binding.ts';
import { findProfile, rememberAccounts } from '../../storage/people.ts';
import { findDeviceSession } from '../../storage/sessions.ts';
import { digest } from '../../tokens/digest.ts';
import { deviceKey } from '../../tokens/opaque-token.ts';
import { Account, OneTimeToken, sessionTokens, toAccount } from '../entities.ts';

export const exchangeCode = operation({
  name: 'exchangeCode',
  summary: 'Exchange the one-time code of a sign-in by provider for a session',
  kind: 'mutation',
  input: strict({
    code: OneTimeToken,
    codeVerifier: Type.Optional(
      Type.String({ minLength: 43, maxLength: 128, secret: true, description: 'For a flow that began with a codeChallenge' }),
    ),
  }),
  output: Type.Object({ ...sessionTokens, accounts: Type.Array(Account) }),
  access: { open: 'the one-time code is the proof' },
  scopes: 'none',
  verification: { exempt: 'an unverified user may sign in' },
  errors: ['BAD_USER_INPUT', 'SERVICE_UNAVAILABLE'],
  audit: 'session.login',
  events: [],
  rest: { method: 'POST', path: '/api/auth/cli-callback' },
  graphql: { none: 'REST only (specification): the end of a redirect' },
  clauses: ['spec:auth.6'],

  async prepare({ code, codeVerifier = '' }, { deps, request, now }) {
    const known = await deps.oauth.codes.take(code);
    if (known === undefined) throw errors.invalidOneTimeToken();
    // Only a browser sends Origin. There the code works only in the browser that began the flow, so
    // that a link cannot sign a person in as another one. A command line has no cookies; its code
    // went to a port on its own machine.
    const isBrowser = known.landing === 'frontend' && request.origin !== undefined;
    if (isBrowser && !isBoundBrowser(request, known.browser, deps.settings.appUrl)) throw errors.invalidOneTimeToken();
    // digest is RFC 7636's S256: base64url of the SHA-256.
    if (known.codeChallenge !== undefined && digest(codeVerifier) !== known.codeChallenge) throw errors.invalidOneTimeToken();
    const device = { userId: known.userId, scope: null, deviceKey: deviceKey(request.userAgent, request.ipAddress) };
    const [person, session] = await Promise.all([findProfile(deps.database, known.userId), findDeviceSession(deps.database, device)]);
    if (person === undefined) throw errors.invalidOneTimeToken();
    const holder = { userId: known.userId, methods: person.methods, scope: null, proof: { amr: ['fed'], authenticatedAt: now } } as const;
    const [plan, accounts] = await Promise.all([
      deps.sessions.plan(holder, request, session),
      accountsOf(deps.tenancy, known.userId, person.accounts),
    ]);
    return { known, plan, accounts, accountsUnknown: person.accounts === null };
  },

  async handle(_input, { tx, deps, now, audit }, { known, plan, accounts, accountsUnknown }) {
    const { userId, methodId, provider } = known;
    const opened = await deps.sessions.open(tx, plan, { id: methodId }, now);
    if (opened === undefined) throw errors.invalidOneTimeToken();
    if (accountsUnknown) await rememberAccounts(tx, userId, accounts);
    audit({
      actorId: userId,
      targetType: 'UserSession',
      targetId: opened.sessionId,
      detail: { provider, authenticationMethodId: methodId },
    });
    return { opened, accounts };
  },

  async complete({ opened, accounts }, { deps, response }) {
    const tokens = await deps.sessions.settle(opened);
    deps.sessions.setCookie(response, tokens.refreshToken);
    return { ...tokens, accounts: accounts.map(toAccount) };
  },
});
