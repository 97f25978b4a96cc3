import { AsyncResource } from 'node:async_hooks';
import { afterAll, describe, expect, test } from '@jest/globals';
import { sql, type Transaction } from '@tessera/kernel/postgres';
import * as client from 'openid-client';
import { until, waitingForMe } from '../../../../../test/support/until.ts';
import { type Artifact, digestOf, insertUnderGrant, rotateArtifact } from '../../apps/storage/openid-artifacts.ts';
import { startOauth } from '../../testing/oauth.ts';
import { openidOf } from '../../testing/openid.ts';
import { projectsOf } from '../../testing/project.ts';
import { claimsOf } from '../../testing/service.ts';

const service = await startOauth({ SECURITY_FRONTEND_URL: 'http://tessera.test' });
afterAll(() => service.stop());
const openid = openidOf(service, await projectsOf(service));
const scope = 'openid email offline_access order:read';

/** A person who is signed in to an app, with a refresh token. */
async function signedIn() {
  const app = await openid.makeClient();
  const person = await openid.person(app);
  service.peers.permissions.set(person.userId, ['order:read']);
  const { config, tokens } = await openid.signIn(app, person.browser, { scope });
  return {
    app,
    config,
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token ?? '',
    idToken: tokens.id_token ?? '',
    ...personOf(person),
  };
}
function personOf({ userId, browser, accessToken }: Awaited<ReturnType<typeof openid.person>>) {
  return { userId, browser, sessionToken: accessToken };
}
type SignedIn = Awaited<ReturnType<typeof signedIn>>;

const refused = (work: Promise<unknown>) =>
  work.then(
    () => 'accepted',
    (error: { error?: string; code?: string }) => error.error ?? error.code,
  );

/** Moves back when tokens were spent. */
const passSeconds = (seconds: number) =>
  service.database.query({ text: "UPDATE openid_artifacts SET consumed_at = consumed_at - $1 * interval '1 second'" }, [seconds]);

async function stateOf({ config, accessToken, refreshToken, userId }: SignedIn) {
  const [access, refresh] = await Promise.all([accessToken, refreshToken].map((token) => client.tokenIntrospection(config, token)));
  const userinfo = await refused(client.fetchUserInfo(config, accessToken, userId));
  return { access: access?.active, refresh: refresh?.active, userinfo: userinfo === 'accepted' };
}
const alive = { access: true, refresh: true, userinfo: true };
const ended = { access: false, refresh: false, userinfo: false };

const refreshes = ({ config, refreshToken }: SignedIn, count: number) =>
  Promise.all(Array.from({ length: count }, () => client.refreshTokenGrant(config, refreshToken)));

describe('refresh tokens', () => {
  test('offline_access needs no new consent each time, and gives a refresh token', async () => {
    const { config, refreshToken, userId, app } = await signedIn();
    expect(refreshToken).not.toBe('');
    const next = await client.refreshTokenGrant(config, refreshToken);
    expect(claimsOf(next.access_token)).toMatchObject({ sub: userId, aud: app.clientId, scopes: ['order:read'] });
    expect(next.refresh_token).not.toBe(refreshToken);
  });

  test('a refresh token that is used again after ten seconds ends the grant', async () => {
    const person = await signedIn();
    const next = await client.refreshTokenGrant(person.config, person.refreshToken);
    await passSeconds(11);
    expect(await refused(client.refreshTokenGrant(person.config, person.refreshToken))).toBe('invalid_grant');
    expect(await refused(client.refreshTokenGrant(person.config, next.refresh_token ?? ''))).toBe('invalid_grant');
    expect(await stateOf({ ...person, accessToken: next.access_token })).toStrictEqual(ended);
  });

  test('eight uses at once all get the same successor, which alone goes on', async () => {
    const person = await signedIn();
    const all = await refreshes(person, 8);
    const successors = [...new Set(all.map((tokens) => tokens.refresh_token))];
    expect(successors).toHaveLength(1);
    expect(successors).not.toContain(person.refreshToken);
    const next = await client.refreshTokenGrant(person.config, successors[0] ?? '');
    expect(await stateOf({ ...person, accessToken: next.access_token, refreshToken: next.refresh_token ?? '' })).toStrictEqual(alive);
    const text = `SELECT 1 FROM openid_artifacts WHERE model = 'RefreshToken' AND user_id = $1 AND consumed_at IS NULL`;
    expect(await service.database.query({ text }, [person.userId])).toHaveLength(1);
  });

  test('what eight uses at once were given ends with the grant, all of it', async () => {
    const person = await signedIn();
    const all = await refreshes(person, 8);
    await client.tokenRevocation(person.config, all[0]?.refresh_token ?? '');
    for (const { access_token: accessToken, refresh_token: refreshToken = '' } of all)
      expect(await stateOf({ ...person, accessToken, refreshToken })).toStrictEqual(ended);
  });

  test('a use that is repeated within ten seconds is recorded as such', async () => {
    const person = await signedIn();
    const repeated = async () => {
      const text = `SELECT detail->'isRepeated' AS is_repeated FROM audit_log WHERE action = 'openid.token' AND actor_id = $1 ORDER BY at`;
      return (await service.database.query<{ is_repeated: boolean | null }>({ text }, [person.userId])).map((row) => row.is_repeated);
    };
    await client.refreshTokenGrant(person.config, person.refreshToken);
    await client.refreshTokenGrant(person.config, person.refreshToken);
    expect(await repeated()).toStrictEqual([null, null, true]);
  });

  test('a token before the directly preceding one ends the grant at once', async () => {
    const person = await signedIn();
    const second = await client.refreshTokenGrant(person.config, person.refreshToken);
    const third = await client.refreshTokenGrant(person.config, second.refresh_token ?? '');
    expect(await refused(client.refreshTokenGrant(person.config, person.refreshToken))).toBe('invalid_grant');
    const state = await stateOf({ ...person, accessToken: third.access_token, refreshToken: third.refresh_token ?? '' });
    expect(state).toStrictEqual(ended);
  });

  test('within the ten seconds a spent token is inactive, and another client cannot use it', async () => {
    const person = await signedIn();
    const next = await client.refreshTokenGrant(person.config, person.refreshToken);
    expect((await client.tokenIntrospection(person.config, person.refreshToken)).active).toBe(false);
    const other = await signedIn();
    expect(await refused(client.refreshTokenGrant(other.config, person.refreshToken))).toBe('invalid_grant');
    const repeated = await client.refreshTokenGrant(person.config, person.refreshToken);
    expect(repeated.refresh_token).toBe(next.refresh_token);
  });

  test('rights that a person lost are gone from the next access token', async () => {
    const { config, refreshToken, userId } = await signedIn();
    service.peers.permissions.set(userId, []);
    const next = await client.refreshTokenGrant(config, refreshToken);
    expect(claimsOf(next.access_token)['scopes']).toStrictEqual([]);
  });
});

describe('a grant that ends while a token is issued under it', () => {
  type Row = Pick<Artifact, 'issuer' | 'payload' | 'grantId' | 'sessionId' | 'projectAppId'>;
  const placeOf = (issuer: string, value: string) => ({ issuer, model: 'RefreshToken', digest: digestOf('RefreshToken', value) });
  /** A refresh token like the one of this person, under the same grant. */
  const likeThatOf = async ({ userId }: SignedIn, value: string): Promise<Artifact> => {
    const text = `SELECT issuer, payload, grant_id AS "grantId", session_id AS "sessionId", project_app_id AS "projectAppId"
      FROM openid_artifacts WHERE model = 'RefreshToken' AND user_id = $1`;
    const [row] = await service.database.query<Row>({ text }, [userId]);
    if (row === undefined) throw new Error('there is no refresh token');
    return {
      ...row,
      ...placeOf(row.issuer, value),
      userId,
      userCodeDigest: null,
      organizationId: null,
      expiresAt: new Date(Date.now() + 3_600_000),
    };
  };

  const ends: Readonly<Record<string, (person: SignedIn) => Promise<unknown>>> = {
    'the app revokes its refresh token': ({ config, refreshToken }) => client.tokenRevocation(config, refreshToken),
    'the person withdraws the consent': ({ sessionToken, app }) =>
      service.ask('DELETE', `/api/me/consents/${app.clientId}`, { token: sessionToken }),
  };
  const issues: Readonly<Record<string, (tx: Transaction, next: Artifact, person: SignedIn) => Promise<unknown>>> = {
    'a refresh': (tx, successor, { refreshToken }) =>
      rotateArtifact(tx, { spent: placeOf(successor.issuer, refreshToken), successor }, new Date()),
    'the exchange of a code': (tx, first) => insertUnderGrant(tx, first),
  };
  for (const [what, issue] of Object.entries(issues))
    for (const [end, work] of Object.entries(ends))
      test(`${what} while ${end}: its token is dead, also once the person signs in again`, async () => {
        const person = await signedIn();
        const value = client.randomState();
        const next = await likeThatOf(person, value);
        const ending = await service.database.transaction(async (tx) => {
          expect(['rotated', true]).toContain(await issue(tx, next, person));
          let isOver = false;
          const under = work(person).finally(() => {
            isOver = true;
          });
          await until(async () => isOver || (await tx.query(sql(waitingForMe))).length > 0);
          return { under };
        });
        await ending.under;
        const again = await openid.signIn(person.app, person.browser, { scope });
        expect(again.tokens.refresh_token).toBeDefined();
        expect(await refused(client.refreshTokenGrant(person.config, value))).toBe('invalid_grant');
      });

  test('no token is issued under a grant that has ended', async () => {
    const person = await signedIn();
    const next = await likeThatOf(person, client.randomState());
    await client.tokenRevocation(person.config, person.refreshToken);
    expect(await service.database.transaction((tx) => insertUnderGrant(tx, next))).toBe(false);
  });

  test('waits for the end of its session without holding the grant, which ends then', async () => {
    const person = await signedIn();
    const next = await likeThatOf(person, client.randomState());
    // A transaction of its own, not one inside of the other.
    const issue = AsyncResource.bind(() => service.database.transaction((tx) => insertUnderGrant(tx, next)));
    const { issuing } = await service.database.transaction(async (tx) => {
      await tx.query(sql('SELECT id FROM sessions WHERE id = $1 FOR UPDATE'), [next.sessionId]);
      const waiting = issue();
      await until(async () => (await tx.query(sql(waitingForMe))).length > 0);
      const grant = [digestOf('Grant', next.grantId ?? '')];
      expect(await tx.query(sql('SELECT digest FROM openid_artifacts WHERE digest = $1 FOR UPDATE'), grant)).toHaveLength(1);
      await tx.query(sql('DELETE FROM sessions WHERE id = $1'), [next.sessionId]);
      return { issuing: waiting };
    });
    expect(await issuing).toBe(false);
  });
});

describe('tokens end at once', () => {
  test('they are alive before', async () => expect(await stateOf(await signedIn())).toStrictEqual(alive));

  const endings: Readonly<Record<string, (person: SignedIn) => Promise<unknown>>> = {
    'the app revokes its refresh token': ({ config, refreshToken }) => client.tokenRevocation(config, refreshToken),
    'the person ends the session': ({ sessionToken }) => service.ask('POST', '/api/auth/logout', { token: sessionToken, body: {} }),
    'the person withdraws the consent': ({ app, sessionToken }) =>
      service.ask('DELETE', `/api/me/consents/${app.clientId}`, { token: sessionToken }),
    'the person leaves the project': async ({ app, userId }) => {
      service.peers.people.get(app.scope.id)?.delete(userId);
      await service.deliver('user.left', { userId, scope: app.scope });
    },
  };
  for (const [name, end] of Object.entries(endings)) {
    test(`when ${name}`, async () => {
      const person = await signedIn();
      const answer = await end(person);
      expect(await stateOf(person)).toStrictEqualFor({ name, answer }, ended);
      expect(await refused(client.refreshTokenGrant(person.config, person.refreshToken))).toBe('invalid_grant');
      const { revocations } = await service.revocations.list({ cursor: '' });
      expect(revocations.map(({ value }) => value)).toContain(claimsOf(person.accessToken)['jti']);
    });
  }

  test.each(Object.entries(endings))('refreshes at the moment when %s leave nothing that works', async (_name, end) => {
    const person = await signedIn();
    const refresh = () => client.refreshTokenGrant(person.config, person.refreshToken).catch(() => undefined);
    const before = Array.from({ length: 4 }, refresh);
    const ending = end(person);
    const [all] = await Promise.all([Promise.all([...before, ...Array.from({ length: 4 }, refresh)]), ending]);
    for (const tokens of [{ access_token: person.accessToken, refresh_token: person.refreshToken }, ...all]) {
      if (tokens === undefined) continue;
      const { access_token: accessToken, refresh_token: refreshToken = '' } = tokens;
      expect(await stateOf({ ...person, accessToken, refreshToken })).toStrictEqual(ended);
      expect(await refused(client.refreshTokenGrant(person.config, refreshToken))).toBe('invalid_grant');
    }
  });

  test('a deleted app gets nothing any more', async () => {
    const { app, config, refreshToken, accessToken, userId } = await signedIn();
    await service.ask('DELETE', `/api/project-apps/${app.id}?tenant=${app.scope.tenant}&scopeId=${app.scope.id}`, {
      token: openid.owner.accessToken,
    });
    expect(await refused(client.refreshTokenGrant(config, refreshToken))).toBe('invalid_client');
    expect(await refused(client.fetchUserInfo(config, accessToken, userId))).not.toBe('accepted');
  });

  test('an app that nobody vouches for gets no new tokens', async () => {
    const { app, config, refreshToken } = await signedIn();
    await service.database.query({ text: 'UPDATE project_apps SET voucher = NULL WHERE id = $1' }, [app.id]);
    expect(await refused(client.refreshTokenGrant(config, refreshToken))).toBe('invalid_grant');
  });
});
