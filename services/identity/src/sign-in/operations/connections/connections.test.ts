/** What may be set in a connection, by whom, and its secret at rest. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { until } from '../../../../../../test/support/until.ts';
import { deriveKeys } from '../../../ground/tokens/opaque-token.ts';
import { startConnections, upstreamPerson } from '../../../testing/connections.ts';
import { registered } from '../../../testing/service.ts';
import { upstreamClient } from '../../../testing/upstream.ts';
import { connectionStore, resealBatch } from '../../jobs/reseal-secrets.ts';
import { createSecretsAtRest } from '../../secrets-at-rest.ts';

const service = await startConnections({ AUTH_FACTOR_SECRETS: 'the secret before of thirty-two letters' });
afterAll(() => service.stop());
const { ask, peers, makeWorld } = service;

describe('what may be set', () => {
  test('never Owner, no role that is not there, no issuer with a query', async () => {
    const world = await makeWorld();
    const oidc = { issuer: world.upstream.issuer, ...upstreamClient };
    const fields = { scope: world.scope, type: 'oidc', name: 'Other', oidc };
    const create = (more: object) => ask('POST', '/api/connections', { token: world.owner.accessToken, body: { ...fields, ...more } });
    const [owner, gone, above] = [newId(), newId(), newId()];
    peers.builtInRoles.set(owner, 1);
    peers.verdicts.set(gone, 'not-found');
    peers.verdicts.set(above, 'forbidden');
    const answers = [await create({ defaultRoleId: owner }), await create({ defaultRoleId: gone }), await create({ defaultRoleId: above })];
    expect(answers.map(({ status }) => status)).toStrictEqual([400, 404, 403]);
    expect((await create({ defaultRoleId: newId(), oidc: { ...oidc, issuer: `${world.upstream.issuer}?a=b` } })).status).toBe(400);
    expect((await world.change({ defaultRoleId: owner })).status).toBe(400);
  });

  test('who may not give the default role neither replaces the client nor switches it on', async () => {
    const world = await makeWorld();
    await world.change({ status: 'disabled' });
    peers.verdicts.set(world.connection.defaultRoleId, 'above-own-rank');
    const changes = [{ status: 'active' }, { oidc: { clientSecret: 'another' } }, { oidc: { clientId: 'another' } }, { name: 'Other' }];
    const answers = [];
    for (const change of changes) answers.push(await world.change(change));
    expect(answers.map(({ status }) => status)).toStrictEqual([403, 403, 403, 200]);
    // A role that is gone gives Viewer, which the caller may give.
    peers.verdicts.set(world.connection.defaultRoleId, 'not-found');
    expect((await world.change({ status: 'active' })).status).toBe(200);
  });

  test('the Owners are told by mail when it is switched on, and when its client is replaced while it is on; of a name they are not', async () => {
    const world = await makeWorld();
    const mails = () =>
      peers.events.flatMap(({ event: { type, payloadJson } }) =>
        type === 'connection.ownersTold' && payloadJson.includes(world.organizationId) ? [JSON.parse(payloadJson).template] : [],
      );
    await until(async () => mails().length === 1);
    await world.change({ name: 'Renamed' });
    await world.change({ oidc: { clientSecret: 'another' } });
    await until(async () => mails().length === 2);
    await world.change({ status: 'disabled' });
    await world.change({ oidc: { clientId: 'another' } });
    await world.change({ status: 'active' });
    await until(async () => mails().length === 3);
    expect(mails()).toStrictEqual(['connection-changed', 'connection-changed', 'connection-changed']);
  });

  test('another organization neither sees nor changes it', async () => {
    const world = await makeWorld();
    const scope = { tenant: 'organization', id: newId() };
    const { accessToken: token } = await registered(service);
    const path = `/api/connections/${world.connection.id}`;
    expect((await ask('GET', `${path}?tenant=organization&scopeId=${scope.id}`, { token })).status).toBe(404);
    expect((await ask('PATCH', path, { token, body: { scope, status: 'disabled' } })).status).toBe(404);
    expect((await ask('DELETE', `${path}?tenant=organization&scopeId=${scope.id}`, { token })).status).toBe(404);
  });
});

describe('rotation of AUTH_FACTOR_SECRETS', () => {
  const secretsOf = (values: string) => createSecretsAtRest(deriveKeys(values, 'connection'));
  const reseal = (values: string) => service.database.transaction((tx) => resealBatch(tx, connectionStore, secretsOf(values), undefined));

  test('the secret is sealed anew, stays good, and one whose key is missing is refused in words', async () => {
    const world = await makeWorld();
    const before = 'the secret before of thirty-two letters';
    const next = 'the next secret also of thirty-two letters';
    expect((await reseal(`${next},${before}`)).unreadable).toBe(0);
    const lost = await ask('GET', world.start);
    expect([lost.status, lost.body.translationKey]).toStrictEqual([409, 'errors.connection.secretLost']);
    await reseal(`${before},${next}`);
    await world.signIn(upstreamPerson(world.domain));
    // Entered again, it is read again.
    await reseal(`${next},${before}`);
    expect((await world.change({ oidc: { clientSecret: upstreamClient.clientSecret } })).status).toBe(200);
    await world.signIn(upstreamPerson(world.domain));
    await reseal(`${before},${next}`);
  });
});
