import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { TesseraError } from '@tessera/client';
import { type JournalOptions, openJournal, statePath } from './journal.ts';
import { rowsOfNdjson } from './ndjson.ts';
import { importPeople, type Send } from './people.ts';
import { type Person, toPerson } from './person.ts';

let folder = '';
let file = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tessera-import-'));
  file = join(folder, 'people.ndjson');
});
afterEach(() => rmSync(folder, { recursive: true }));

type Status = 'created' | 'exists' | 'skipped' | 'invalid';

/** A server with the rules of the platform: once by external id, never an address that exists. */
function createServer() {
  const people = new Map<string, Person>();
  const batches: number[] = [];
  const answer = (user: Person): { status: Status; reason?: string } => {
    const known = people.get(user.email);
    if (known !== undefined)
      return known.externalId !== undefined && known.externalId === user.externalId
        ? { status: 'exists' }
        : { status: 'skipped', reason: 'the address exists' };
    people.set(user.email, user);
    return { status: 'created' };
  };
  const send: Send = async (users) => {
    batches.push(users.length);
    return { items: users.map((user, index) => ({ index, email: user.email, ...answer(user) })) };
  };
  return { people, batches, send };
}

type Given = { readonly send: Send; readonly isStopped?: () => boolean; readonly changes?: Partial<JournalOptions> };
const notes: string[] = [];

async function run({ send, isStopped = () => false, changes = {} }: Given) {
  const journal = await openJournal({
    file,
    url: 'https://a.example',
    from: 'ndjson',
    report: `${file}.report`,
    isRestart: false,
    ...changes,
  });
  try {
    const rows = rowsOfNdjson(Readable.from([readFileSync(file)]), toPerson);
    const patience = { note: (text: string) => void notes.push(text), wait: async () => undefined, mostTries: 3 };
    const isWhole = await importPeople({ rows, journal, send, isStopped, patience, onProgress: () => undefined });
    return { isWhole, ...journal.state.counts };
  } finally {
    journal.close();
  }
}

const report = () =>
  readFileSync(`${file}.report`, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

function write(count: number, more: readonly string[] = []): void {
  const people = Array.from({ length: count }, (_, index) => JSON.stringify({ email: `p${index}@example.com`, externalId: String(index) }));
  writeFileSync(file, [...people, ...more].join('\n'));
}

test('500 at a time, each person once, the report names those left out', async () => {
  const server = createServer();
  write(1_200, ['{"email":"none"}', '{"email":"p0@example.com","externalId":"other"}']);
  expect(await run(server)).toStrictEqual({ isWhole: true, created: 1_200, exists: 0, skipped: 1, invalid: 1 });
  expect(server.batches).toStrictEqual([500, 500, 201]);
  expect(report()).toStrictEqual([
    { line: 1_201, email: 'none', status: 'invalid', reason: 'email is no address' },
    { line: 1_202, email: 'p0@example.com', externalId: 'other', status: 'skipped', reason: 'the address exists' },
  ]);
  expect([existsSync(statePath(file)), statSync(`${file}.report`).mode & 0o777]).toStrictEqual([false, 0o600]);
});

test('wherever it is killed, it goes on: none doubled, none lost, the report whole', async () => {
  for (let deadAt = 1; deadAt <= 3; deadAt += 1)
    for (const isAfter of [false, true]) {
      const server = createServer();
      write(1_200, ['{"email":"none"}']);
      let calls = 0;
      const dying: Send = async (users) => {
        calls += 1;
        if (calls < deadAt) return server.send(users);
        if (isAfter) await server.send(users);
        throw new Error('killed');
      };
      await expect(run({ send: dying })).rejects.toThrow('killed');
      const counts = await run(server);
      expect(server.people.size).toStrictEqualFor([deadAt, isAfter], 1_200);
      expect(counts.created + counts.exists).toStrictEqualFor([deadAt, isAfter, counts], 1_200);
      expect(report()).toStrictEqualFor(
        [deadAt, isAfter],
        [{ line: 1_201, email: 'none', status: 'invalid', reason: 'email is no address' }],
      );
    }
});

test('a report that was written after the last state is cut back, so that no line stands there twice', async () => {
  const server = createServer();
  write(500, ['{"email":"none"}']);
  let calls = 0;
  await expect(
    run({
      send: async (users) => {
        calls += 1;
        if (calls > 1) throw new Error('killed');
        return server.send(users);
      },
    }),
  ).resolves.toMatchObject({ isWhole: true });
  write(1_000);
  await expect(run({ send: () => Promise.reject(new Error('killed')) })).rejects.toThrow('killed');
  writeFileSync(`${file}.report`, '{"half a line');
  expect(await run(server)).toMatchObject({ isWhole: true, exists: 500, created: 500 });
  expect(report()).toStrictEqual([]);
});

test('who was sent before a crash and has no external id is marked in the report', async () => {
  const server = createServer();
  writeFileSync(file, '{"email":"a@b"}');
  const dying: Send = async (users) => {
    await server.send(users);
    throw new Error('killed');
  };
  await expect(run({ send: dying })).rejects.toThrow('killed');
  expect(await run(server)).toMatchObject({ skipped: 1 });
  expect(report()).toStrictEqual([{ line: 1, email: 'a@b', status: 'skipped', reason: 'the address exists', wasSentBefore: true }]);
});

test('a stop between two batches keeps what is done', async () => {
  const server = createServer();
  write(1_200);
  expect(await run({ ...server, isStopped: () => server.batches.length === 1 })).toMatchObject({ isWhole: false, created: 500 });
  expect(await run(server)).toMatchObject({ isWhole: true, created: 1_200, exists: 0 });
  expect(server.batches).toStrictEqual([500, 500, 200]);
});

test('a state of another input, server or format is refused, and so is one that is none', async () => {
  const server = createServer();
  write(600);
  const interrupted = () => run({ ...server, isStopped: () => server.batches.length > 0 });
  await interrupted();
  await expect(run({ ...server, changes: { url: 'https://b.example' } })).rejects.toThrow('another server');
  await expect(run({ ...server, changes: { from: 'auth0' } })).rejects.toThrow('another --from');
  const state = readFileSync(statePath(file), 'utf8');
  for (const text of [
    '',
    '{',
    '[]',
    '{"version":1}',
    state.replace('"rows": 500', '"rows": -1'),
    state.replace('"version": 1', '"version": 2'),
  ]) {
    writeFileSync(statePath(file), text);
    await expect(run(server)).rejects.toThrow('is no state of an import');
  }
  writeFileSync(statePath(file), state.replace('"rows": 500', '"rows": 5000'));
  await expect(run(server)).rejects.toThrow('there are 600');
  writeFileSync(statePath(file), state.replace('"reportBytes": 0', '"reportBytes": 99'));
  await expect(run(server)).rejects.toThrow('was removed or cut');
  writeFileSync(statePath(file), state);
  write(601);
  await expect(run(server)).rejects.toThrow('another content');
  expect(await run({ ...server, changes: { isRestart: true } })).toMatchObject({ isWhole: true, exists: 500, created: 101 });
});

test('a file that changes while it is imported ends the import', async () => {
  write(1_200);
  const server = createServer();
  const changing: Send = async (users) => {
    writeFileSync(file, `${readFileSync(file, 'utf8')}\n{"email":"late@example.com"}`);
    return server.send(users);
  };
  await expect(run({ send: changing })).rejects.toThrow('was changed while it was imported');
});

test('the state is not written through a link of another account', async () => {
  write(1);
  const other = join(folder, 'other');
  writeFileSync(other, 'kept');
  symlinkSync(other, statePath(file));
  // What the link leads to is no state, and is not written.
  await expect(run(createServer())).rejects.toThrow('is no state of an import');
  expect(readFileSync(other, 'utf8')).toBe('kept');
});

test('an answer that does not say of each person what became of them ends the import', async () => {
  write(2);
  const good = [
    { index: 0, status: 'created' },
    { index: 1, status: 'created' },
  ];
  for (const data of [
    undefined,
    null,
    'yes',
    {},
    { items: 'many' },
    { items: [good[0]] },
    { items: [good[0], good[0]] },
    { items: [...good, { index: 2, status: 'created' }] },
    { items: [good[0], { index: 7, status: 'created' }] },
    { items: [good[0], { index: 1, status: 'deleted' }] },
    { items: [good[0], { index: '1', status: 'created' }] },
    { items: [good[0], { index: 1, status: 'constructor' }] },
  ])
    await expect(run({ send: async () => data, changes: { isRestart: true } })).rejects.toThrow('does not say of each person');
});

test('a person whom the server does not take fails alone; a limit is waited for; other refusals end the import', async () => {
  const server = createServer();
  write(20);
  const refusing: Send = async (users) => {
    if (users.some(({ email }) => email === 'p7@example.com'))
      throw new TesseraError('Too deep', { status: 400, code: 'VALIDATION_ERROR', field: 'users.0.metadata' });
    return server.send(users);
  };
  expect(await run({ send: refusing })).toMatchObject({ created: 19, invalid: 1 });
  expect(report()).toMatchObject([{ line: 8, reason: 'Too deep (users.0.metadata)' }]);

  let calls = 0;
  const limited: Send = async (users) => {
    calls += 1;
    if (calls === 1) throw new TesseraError('Too many requests.', { status: 429, code: 'RATE_LIMIT_EXCEEDED', retryAfterSeconds: 999 });
    if (calls === 2) throw new TesseraError('The server can not be reached.', { status: 0, code: 'NETWORK_ERROR' });
    return server.send(users);
  };
  notes.length = 0;
  expect(await run({ send: limited })).toMatchObject({ exists: 19, created: 1 });
  expect(notes).toStrictEqual(['Too many requests. Trying again in 120 s.', 'The server can not be reached. Trying again in 2 s.']);

  const ofTheDay = { status: 429, code: 'RATE_LIMIT_EXCEEDED', retryAfterSeconds: 40_000 } as const;
  const usedUp: Send = () => Promise.reject(new TesseraError('Enough for today.', ofTheDay));
  await expect(run({ send: usedUp })).rejects.toThrow('Enough for today.');
  const forbidden: Send = () => Promise.reject(new TesseraError('Forbidden', { status: 403, code: 'FORBIDDEN' }));
  await expect(run({ send: forbidden })).rejects.toThrow('Forbidden');
  const down: Send = () => Promise.reject(new TesseraError('Away', { status: 503, code: 'SERVICE_UNAVAILABLE' }));
  await expect(run({ send: down })).rejects.toThrow('Away');
});

test('a batch stays below the size that the gateway takes', async () => {
  const metadata = { text: 'x'.repeat(100_000) };
  writeFileSync(file, Array.from({ length: 20 }, (_, index) => JSON.stringify({ email: `p${index}@b`, metadata })).join('\n'));
  const server = createServer();
  const sizes: number[] = [];
  await run({
    send: (users) => {
      sizes.push(Buffer.byteLength(JSON.stringify({ users })));
      return server.send(users);
    },
  });
  expect(sizes.length).toBe(3);
  expect(Math.max(...sizes)).toBeLessThan(1024 * 1024);
});
