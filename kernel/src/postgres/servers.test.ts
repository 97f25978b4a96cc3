/** One server that takes writes, among several that a URL names. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { afterAll, describe, expect, test } from '@jest/globals';
import pg, { escapeIdentifier } from 'pg';
import { newId } from '../ids/index.ts';
import { createFixture } from './fixture.ts';
import { sql, statement } from './index.ts';
import { connect as connectToPool, release } from './pool.ts';
import { createServers, urlsOf } from './servers.ts';

const insert = statement('servers_insert', 'INSERT INTO notes (id) VALUES ($1)');
const refuseWrites = sql('SET default_transaction_read_only = on');
const backend = sql('SELECT pg_backend_pid() AS pid');
const fixture = await createFixture('CREATE TABLE notes (id uuid PRIMARY KEY)');
afterAll(() => fixture.close());
const socket = String(new URL(fixture.test.urls.rbac).searchParams.get('host'));
const port = Number(new URL(fixture.test.urls.rbac).searchParams.get('port') ?? 5432);

/** A door to the server of the tests, which a test can close, cut and freeze. */
async function openDoor() {
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(`${socket}/.s.PGSQL.${port}`);
    for (const side of [client, upstream]) {
      open.add(side);
      side.on('error', () => undefined);
      side.on('close', () => open.delete(side));
    }
    client.pipe(upstream).pipe(client);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The door has no port.');
  const cut = () => {
    for (const side of open) side.destroy();
  };
  const close = async () => {
    const closed = once(server, 'close');
    server.close();
    cut();
    await closed;
  };
  return { name: `127.0.0.1:${address.port}`, cut, close, connections: () => open.size / 2 };
}

function through(...doors: readonly { readonly name: string }[]): string {
  const { username, password, pathname } = new URL(fixture.test.urls.rbac);
  return `postgres://${username}:${password}@${doors.map(({ name }) => name).join(',')}${pathname}?target_session_attrs=read-write`;
}

describe('a URL', () => {
  test('names several servers in its address, or by host and port, as libpq reads them', () => {
    expect(urlsOf('postgres://a:p%40@h1:5432,h2,h3:5433/db?sslmode=require')).toStrictEqual([
      'postgres://a:p%40@h1:5432/db?sslmode=require',
      'postgres://a:p%40@h2/db?sslmode=require',
      'postgres://a:p%40@h3:5433/db?sslmode=require',
    ]);
    expect(urlsOf('postgres://a@x/db?host=h1,h2&port=1,2').map((url) => [...new URL(url).searchParams.values()])).toStrictEqual([
      ['h1', '1'],
      ['h2', '2'],
    ]);
    expect(urlsOf('postgres://a@x/db?host=h1,h2&port=7').map((url) => new URL(url).searchParams.get('port'))).toStrictEqual(['7', '7']);
    for (const one of ['postgres://a:b,c@h/db', 'postgres://a@h/db?host=%2Frun&port=5432', 'nothing'])
      expect(urlsOf(one)).toStrictEqual([one]);
  });
});

describe('a server that was the primary', () => {
  test('refuses a write as unavailable, its connection is closed, and the next write gets another', async () => {
    const db = fixture.open({ poolSize: 1 });
    const ways = {
      query: (id: string) => db.query(insert, [id]),
      transaction: (id: string) => db.transaction((tx) => tx.execute(insert, [id])),
      last: (id: string) => db.transaction(async (tx) => tx.last(insert, [id])),
      swallowed: (id: string) => db.transaction(async (tx) => void (await tx.execute(insert, [id]).catch(() => undefined))),
    };
    for (const [way, write] of Object.entries(ways)) {
      const [before] = await db.query(backend);
      await db.query(refuseWrites);
      await expect(write(newId())).rejects.toMatchObject({ kind: 'unavailable' });
      expect(await db.query(backend)).not.toStrictEqualFor(way, [before]);
      await write(newId());
    }
    expect(db.losses()).toStrictEqual({ unreachable: 0, broken: 0, readOnly: Object.keys(ways).length });
  });

  test('a write in a transaction that only reads stays a fault of ours, and costs no connection', async () => {
    const db = fixture.open({ poolSize: 1 });
    const [before] = await db.query(backend);
    const work = db.transaction((tx) => tx.execute(insert, [newId()]), { readOnly: true });
    await expect(work).rejects.toMatchObject({ code: '25006' });
    expect(await db.query(backend)).toStrictEqual([before]);
    expect(db.losses()).toStrictEqual({ unreachable: 0, broken: 0, readOnly: 0 });
  });

  test('gets no new connection, not even to read: it would answer from the past', async () => {
    const admin = await fixture.test.connect();
    const name = escapeIdentifier(fixture.test.name);
    const db = fixture.open({ poolSize: 2 });
    try {
      await admin.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
      await expect(db.query(sql('SELECT 1'))).rejects.toMatchObject({ kind: 'unavailable' });
      expect(await db.isHealthy()).toBe(false);
    } finally {
      await admin.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
    }
    expect(await db.isHealthy()).toBe(true);
  });
});

describe('several servers', () => {
  test('the first that answers is used, and the next when it is lost', async () => {
    const [dead, first, second] = [await openDoor(), await openDoor(), await openDoor()];
    await dead.close();
    const db = fixture.open({ poolSize: 3, url: through(dead, first, second) });
    await db.query(insert, [newId()]);
    expect([first.connections(), second.connections()]).toStrictEqual([1, 0]);
    await first.close();
    // What stood idle is lost: one request may notice it, and no more.
    await db.query(insert, [newId()]).catch(() => undefined);
    await db.query(insert, [newId()]);
    expect(second.connections()).toBe(1);
    await second.close();
  });

  test('no idle connection to a server that was left is lent again, though it still answers', async () => {
    const [first, second] = [await openDoor(), await openDoor()];
    const db = fixture.open({ poolSize: 3, url: through(first, second) });
    await Promise.all([1, 2, 3].map(() => db.query(sql('SELECT pg_sleep(0.05)'))));
    expect(first.connections()).toBe(3);
    await expect(db.query(sql('SELECT pg_terminate_backend(pg_backend_pid())'))).rejects.toMatchObject({ kind: 'unavailable' });
    await Promise.all([1, 2, 3].map(() => db.query(sql('SELECT pg_sleep(0.05)'))));
    expect(second.connections()).toBe(3);
    for (const door of [first, second]) await door.close();
  });

  test('a pool whose connections are all lent for too long moves to no other server', async () => {
    const [first, second] = [await openDoor(), await openDoor()];
    const servers = createServers(through(first, second));
    const pool = new pg.Pool({ Client: servers.Client, onConnect: servers.assertWritable, max: 1, connectionTimeoutMillis: 300 });
    const connections = { pool, servers, losses: { unreachable: 0, broken: 0, readOnly: 0 } };
    const lent = await connectToPool(connections);
    await expect(connectToPool(connections)).rejects.toMatchObject({ kind: 'unavailable' });
    release(connections, lent, true);
    release(connections, await connectToPool(connections), true);
    expect([first.connections(), second.connections(), connections.losses.unreachable]).toStrictEqual([1, 0, 0]);
    await pool.end();
    for (const door of [first, second]) await door.close();
  });

  test('where none takes writes, requests fail as unavailable, and few of them ask', async () => {
    const [one, another] = [await openDoor(), await openDoor()];
    for (const door of [one, another]) await door.close();
    const db = fixture.open({ poolSize: 3, url: through(one, another) });
    const began = performance.now();
    for (const each of await Promise.allSettled(Array.from({ length: 50 }, () => db.query(backend))))
      expect(each).toMatchObject({ status: 'rejected', reason: { kind: 'unavailable' } });
    await expect(db.query(backend)).rejects.toThrow();
    expect(performance.now() - began).toBeLessThan(2_000);
    expect(db.losses().unreachable).toBe(51);
  });
});
