/** The metadata of SAML connections is read again each day. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterAll, expect, test } from '@jest/globals';
import { failures } from '@tessera/kernel/errors';
import { createGuardedFetch } from '@tessera/kernel/guard';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import { describeUnless } from '../../../../../test/support/unless.ts';
import { until } from '../../../../../test/support/until.ts';
import { openSamlIdp, withoutXmlsec } from '../../testing/saml-idp.ts';
import { registered, startIdentity } from '../../testing/service.ts';
import { createSamlReader } from '../connections/saml/saml-reader.ts';
import { renewAll, takeDue } from './renew-metadata.ts';

const cleanup = new AsyncDisposableStack();
const service = await startIdentity({ WEBHOOK_ALLOW_PRIVATE: 'true' });
cleanup.defer(() => service.stop());
afterAll(() => cleanup.disposeAsync());
const { ask, peers, database } = service;
const logger = { warn: () => undefined };
const samlReader = createSamlReader({ unavailable: () => failures.unavailable('identity'), logger });
cleanup.defer(() => samlReader.stop());
const ssoUrl = 'https://idp.birch.example/sso';

/** A provider that publishes its metadata, and an active connection to it. */
async function arrange() {
  const idp = openSamlIdp(cleanup);
  let shown = { status: 200, xml: idp.metadata(ssoUrl) };
  const server = createServer((_request, response) => void response.writeHead(shown.status).end(shown.xml));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  cleanup.defer(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const metadataUrl = `http://127.0.0.1:${address.port}/metadata`;
  const { accessToken: token } = await registered(service);
  const scope = { tenant: 'organization', id: newId() };
  peers.provenDomains.set(scope.id, new Set([`${newId()}.example.net`]));
  const body = { scope, type: 'saml', name: 'Our login', saml: { metadataUrl }, defaultRoleId: newId() };
  const made = await ask('POST', '/api/connections', { token, body });
  expect(made.status).toStrictEqualFor(made.body, 201);
  const { id } = made.body.data;
  const active = await ask('PATCH', `/api/connections/${id}`, { token, body: { scope, status: 'active' } });
  expect(active.status).toStrictEqualFor(active.body, 200);

  /** A day later, as the job does it. The metadata is read from another place, if one is named. */
  async function aDayLater(allowPrivate = true) {
    const now = new Date(Date.now() + 2 * 86_400_000);
    await database.query(sql('UPDATE connections SET metadata_asked_at = NULL WHERE id = $1'), [id]);
    const due = (await database.transaction((tx) => takeDue(tx, now))).filter((one) => one.id === id);
    const settings = { allowPrivateAddresses: allowPrivate };
    const guardedFetch = createGuardedFetch({ allowPrivate, timeoutMs: 1_000 });
    await renewAll(due, { deps: { database, samlReader, guardedFetch, settings }, logger, clock: () => now });
    const again = await database.transaction((tx) => takeDue(tx, now));
    expect([due.length, again.some((one) => one.id === id)]).toStrictEqual([1, false]);
    const { body: read } = await ask('GET', `/api/connections/${id}?tenant=organization&scopeId=${scope.id}`, { token });
    return read.data.saml;
  }
  const rows = () =>
    database.query<{ outcome: string; reason: string | null }>(
      sql(
        `SELECT outcome, detail ->> 'reason' AS reason FROM audit_log WHERE action = 'connection.metadata-renewed' AND scope_id = $1 ORDER BY at`,
      ),
      [scope.id],
    );
  const show = (xml: string, status = 200) => {
    shown = { status, xml };
  };
  return { idp, scope, show, aDayLater, rows, saml: active.body.data.saml };
}

describeUnless(withoutXmlsec)('metadata that is read again', () => {
  test('with new certificates is taken, recorded, and told to the Owners', async () => {
    const { idp, scope, show, aDayLater, rows, saml } = await arrange();
    const other = openSamlIdp(cleanup, idp.entityId);
    show(other.metadata(ssoUrl));
    const read = await aDayLater();
    expect(read.certificates).not.toStrictEqual(saml.certificates);
    expect(await rows()).toStrictEqual([{ outcome: 'ok', reason: null }]);
    await until(async () =>
      peers.events.some(({ event: { payloadJson } }) => payloadJson.includes(scope.id) && payloadJson.includes('connection-keys-changed')),
    );
  });

  test('that says the same changes nothing, and leaves no row', async () => {
    const { aDayLater, rows, saml } = await arrange();
    expect([await aDayLater(), await rows()]).toStrictEqual([saml, []]);
  });

  test('of another provider, broken, absent, or at an address inside is not taken, and the log says why', async () => {
    const { idp, show, aDayLater, rows, saml } = await arrange();
    show(openSamlIdp(cleanup, 'https://evil.example/metadata').metadata(ssoUrl));
    expect(await aDayLater()).toStrictEqual(saml);
    for (const [xml, status] of [
      ['<x/>', 200],
      [idp.metadata(ssoUrl), 500],
      [`<!DOCTYPE x>${idp.metadata(ssoUrl)}`, 200],
    ] as const) {
      show(xml, status);
      expect(await aDayLater()).toStrictEqual(saml);
    }
    show(openSamlIdp(cleanup, idp.entityId).metadata(ssoUrl));
    expect(await aDayLater(false)).toStrictEqual(saml);
    const [unread, other] = [
      { outcome: 'refused', reason: 'unreadable' },
      { outcome: 'refused', reason: 'another_provider' },
    ];
    expect(await rows()).toStrictEqual([other, unread, unread, unread, unread]);
  });
});
