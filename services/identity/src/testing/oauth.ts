/** identity with a provider on this machine, and the people who use it. */
import { newId } from '@tessera/kernel/ids';
import { type FakeUser, startFakeProvider } from '../../../../test/support/fake-provider/provider.ts';
import { startIdentity } from './service.ts';

export const frontendUrl = 'https://app.example.com';
const clientId = 'registered at the provider';
const clientSecret = 'a secret of the provider';

export type OauthService = Awaited<ReturnType<typeof startOauth>>;
export type AuditRow = {
  action: string;
  outcome: string;
  code: string | null;
  actor_id: string | null;
  scope_id: string | null;
  detail: Record<string, unknown>;
};

export function providerEnv(url: string, prefix = 'CODEHOST'): Record<string, string> {
  return {
    [`${prefix}_CLIENT_ID`]: clientId,
    [`${prefix}_CLIENT_SECRET`]: clientSecret,
    [`${prefix}_AUTHORIZE_URL`]: `${url}/authorize`,
    [`${prefix}_TOKEN_URL`]: `${url}/token`,
    [`${prefix}_API_URL`]: `${url}/api`,
  };
}

export async function startOauth(env: Readonly<Record<string, string>> = {}) {
  const provider = await startFakeProvider({ clientId, clientSecret });
  const ofProvider = providerEnv(provider.url);
  // The profile of OpenID Connect is read at userinfo.
  if (env['CODEHOST_PROFILE'] === 'openid') ofProvider['CODEHOST_API_URL'] = `${provider.url}/api/userinfo`;
  const service = await startIdentity({ ...ofProvider, SECURITY_FRONTEND_URL: frontendUrl, ...env });
  return {
    ...service,
    provider,
    auditOf: (action: string) =>
      service.database.query<AuditRow>(
        { text: 'SELECT action, outcome, code, actor_id, scope_id, detail FROM audit_log WHERE action = $1 ORDER BY at, id' },
        [action],
      ),
    stop: async () => {
      await service.stop();
      await provider.stop();
    },
  };
}

let users = 1_000;

/** A person at the provider. */
export function providerUser(changes: Partial<FakeUser> = {}): FakeUser {
  users += 1;
  return {
    id: users,
    login: `user${users}`,
    name: `User ${users}`,
    email: `user${users}.${newId()}@example.com`,
    verified: true,
    ...changes,
  };
}
