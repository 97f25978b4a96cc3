import { Readable } from 'node:stream';
import { expect, test } from '@jest/globals';
import { fromAuth0 } from './auth0.ts';
import { cognitoTable, rowsOfCognito } from './cognito.ts';
import { rowsOfCsv } from './csv.ts';
import { rowsOfKeycloak } from './keycloak.ts';
import { mostLineBytes, rowsOfNdjson } from './ndjson.ts';
import { type Row, toPerson } from './person.ts';

/** In chunks of any size, as a file comes. */
function streamOf(text: string | Buffer, size = 7): Readable {
  const bytes = Buffer.from(text);
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => bytes.subarray(index * size, (index + 1) * size));
  return Readable.from(chunks, { objectMode: false });
}

async function collect(rows: AsyncIterable<Row>): Promise<readonly (readonly [number, unknown])[]> {
  const found: (readonly [number, unknown])[] = [];
  for await (const row of rows) found.push([row.line, 'person' in row.found ? row.found.person : row.found.fault.reason]);
  return found;
}

const header = 'email,name,passwordHash,hashAlgorithm,emailVerified,externalId,metadata';

test('CSV: quotes, line ends within cells, CRLF, a byte order mark, empty lines and formulae are what they are', async () => {
  const text = [
    `\uFEFF${header}`,
    'ada@example.com,"Lovelace, ""Ada""",$2b$10$x,bcrypt,TRUE,1,"{""plan"": ""pro""}"',
    '',
    'two@example.com,"two\r\nlines",,,0,,',
    '=cmd@example.com,"=HYPERLINK(""http://evil"")",,,,=1+1,',
    'none,,,,,,',
    'a@b,,,,maybe,,',
    'a@b,,,,,,[1]',
    'a@b,,hash,,,,',
  ].join('\r\n');
  expect(await collect(rowsOfCsv(streamOf(text), ','))).toStrictEqual([
    [
      2,
      {
        email: 'ada@example.com',
        name: 'Lovelace, "Ada"',
        passwordHash: '$2b$10$x',
        hashAlgorithm: 'bcrypt',
        emailVerified: true,
        externalId: '1',
        metadata: { plan: 'pro' },
      },
    ],
    [4, { email: 'two@example.com', name: 'two\r\nlines', emailVerified: false }],
    [6, { email: '=cmd@example.com', name: '=HYPERLINK("http://evil")', externalId: '=1+1' }],
    [7, 'email is no address'],
    [8, 'emailVerified must be true or false'],
    [9, 'metadata must be a JSON object'],
    [10, 'passwordHash and hashAlgorithm belong together'],
  ]);
  expect(await collect(rowsOfCsv(streamOf('name;email\nA;a@b\n'), ';'))).toStrictEqual([[2, { name: 'A', email: 'a@b' }]]);
});

test('CSV: what is broken ends the reading, with its line and without its content', async () => {
  const secret = '$2b$10$secret';
  for (const [text, said] of [
    [`email,passwordhash\na@b,${secret}\n`, 'Line 1: "passwordhash" is no column'],
    ['email;name\n', 'Line 1: "email;name" is no column'],
    ['name\nA\n', 'Line 1: the header names email'],
    ['email,email\n', 'Line 1: the header names email'],
    [`${header}\na@b,,,,,,\na@b,${secret}\n`, 'Line 3: the row has more or fewer cells'],
    [`email,name\na@b,A\nb@c,"${secret}\n`, 'Line 3: a quote is not closed'],
    [`email,name\na@b,"A" ${secret}\n`, 'Line 2: '],
    [`email,name\na@b,${secret}"quoted"\n`, 'Line 2: '],
    [`email,name\na@b,"${'x'.repeat(mostLineBytes + 10)}"\n`, 'Line 2: the row is longer'],
  ] as const) {
    const message = await collect(rowsOfCsv(streamOf(text, 4096), ',')).then(
      () => 'nothing',
      (error: Error) => error.message,
    );
    expect([text.slice(0, 60), message]).toStrictEqual([text.slice(0, 60), expect.stringContaining(said)]);
    expect(message).not.toContain('secret');
  }
});

test('CSV and NDJSON in another encoding than UTF-8 are refused row by row', async () => {
  const latin = Buffer.from('email,name\na@b,J\xF6rg\n', 'latin1');
  expect(await collect(rowsOfCsv(streamOf(latin), ','))).toStrictEqual([[2, 'the row is not UTF-8']]);
  expect(await collect(rowsOfNdjson(streamOf(Buffer.from('{"email":"J\xF6rg@x"}', 'latin1')), toPerson))).toStrictEqual([
    [1, 'the line is not UTF-8'],
  ]);
});

test('NDJSON: one bad line does not stop the others, and is named without what is in it', async () => {
  const lines = [
    '\uFEFF{"email":"ada@example.com","metadata":{"a":[1]},"name":null}',
    '',
    '   \r',
    '{"email":"a@b","passwordHash":"$2b$10$secret"',
    '[]',
    '{"email":"a@b","isAdmin":true}',
    '{"email":7}',
    '{"email":"a@b","emailVerified":"true"}',
    '{"email":"a@b","metadata":[]}',
    '{"email":"a@b","name":{}}',
    `{"email":"a@b","name":"${'x'.repeat(mostLineBytes)}"}`,
    '{"email":"last@example.com"}',
  ];
  const found = await collect(rowsOfNdjson(streamOf(lines.join('\n'), 65_536), toPerson));
  expect(found).toStrictEqual([
    [1, { email: 'ada@example.com', metadata: { a: [1] } }],
    [4, 'the line is no JSON'],
    [5, 'the line is no JSON object'],
    [6, expect.stringContaining('"isAdmin" is no key')],
    [7, 'email is no address'],
    [8, 'emailVerified must be true or false'],
    [9, 'metadata must be an object'],
    [10, 'name must be a text'],
    [11, expect.stringContaining('longer than')],
    [12, { email: 'last@example.com' }],
  ]);
});

test('memory does not grow with the file, nor with a line that never ends', async () => {
  async function* endless() {
    for (let count = 0; count < 4_000; count += 1) yield Buffer.alloc(64 * 1024, 120);
    yield Buffer.from('\n{"email":"a@b"}\n');
  }
  const before = process.memoryUsage().arrayBuffers;
  const found = await collect(rowsOfNdjson(endless(), toPerson));
  expect(found).toStrictEqual([
    [1, expect.stringContaining('longer than')],
    [2, { email: 'a@b' }],
  ]);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(128 * 1024 * 1024);
});

test('Auth0: ids, hashes and profiles; app_metadata stays behind, blocked people are skipped', async () => {
  const hash = '$2b$10$Z6hUTEEeoJXN5/AmSm/4.eZ75RYgFVriQM9LPhNEC7kbAbS/VAaJ2';
  const users = [
    { _id: { $oid: 'abc' }, email: 'a@b', email_verified: false, passwordHash: hash, tenant: 't', connection: 'c' },
    { user_id: 'auth0|d', email: 'd@b', email_verified: true, name: 'Dee', user_metadata: { a: 1 }, app_metadata: { role: 'admin' } },
    { user_id: 'google-oauth2|e', email: 'e@b', name: 'e@b' },
    { user_id: 'auth0|f', email: 'f@b', blocked: true },
    { email: 'g@b' },
  ];
  expect(await collect(rowsOfNdjson(streamOf(users.map((user) => JSON.stringify(user)).join('\n')), fromAuth0))).toStrictEqual([
    [1, { email: 'a@b', externalId: 'auth0|abc', emailVerified: false, passwordHash: hash, hashAlgorithm: 'bcrypt' }],
    [2, { email: 'd@b', externalId: 'auth0|d', emailVerified: true, metadata: { a: 1 }, name: 'Dee' }],
    [3, { email: 'e@b', externalId: 'google-oauth2|e', emailVerified: false }],
    [4, 'blocked in Auth0'],
    [5, expect.stringContaining('no export of Auth0')],
  ]);
});

const credential = (credentialData: object, secretData: object = { value: 'aGFzaA==', salt: 'c2FsdA==' }) => [
  { type: 'otp' },
  { type: 'password', secretData: JSON.stringify(secretData), credentialData: JSON.stringify(credentialData) },
];

test('Keycloak: users in any chunks, hashes as text, keys that look alike elsewhere', async () => {
  const users = [
    { id: '1', email: 'a@b', emailVerified: true, firstName: 'A', lastName: 'B', attributes: { x: ['1'], y: ['1', '2'] } },
    { id: '2', email: 'c@d', credentials: credential({ hashIterations: 27_500, algorithm: 'pbkdf2-sha256' }) },
    { id: '3', email: 'e@f', credentials: credential({ hashIterations: 20_000, algorithm: 'pbkdf2' }) },
    {
      id: '4',
      email: 'g@h',
      credentials: credential({
        hashIterations: 5,
        algorithm: 'argon2',
        additionalParameters: { memory: ['7168'], type: ['id'], version: ['1.3'], parallelism: ['1'] },
      }),
    },
    { id: '5', email: 'i@j', credentials: credential({ hashIterations: 1, algorithm: 'rot13' }) },
    { id: '6', email: 'k@l', enabled: false },
    { id: '7', username: 'service-account-x', serviceAccountClientId: 'x' },
    { id: '8', email: 'm@n', firstName: 'a "quote" } ] \\', attributes: { users: ['{"id":"9"}'] } },
  ];
  const document = {
    realm: 'users',
    clients: [{ users: [{ id: 'no' }] }],
    note: '"users":[{"id":"no"}]',
    users,
    'after"users"': [{ id: 'no' }],
  };
  const expected = [
    { email: 'a@b', name: 'A B', emailVerified: true, externalId: '1', metadata: { x: '1', y: ['1', '2'] } },
    { email: 'c@d', emailVerified: false, externalId: '2', passwordHash: '$pbkdf2-sha256$i=27500$c2FsdA$aGFzaA', hashAlgorithm: 'pbkdf2' },
    { email: 'e@f', emailVerified: false, externalId: '3', passwordHash: '$pbkdf2-sha1$i=20000$c2FsdA$aGFzaA', hashAlgorithm: 'pbkdf2' },
    {
      email: 'g@h',
      emailVerified: false,
      externalId: '4',
      passwordHash: '$argon2id$v=19$m=7168,t=5,p=1$c2FsdA$aGFzaA',
      hashAlgorithm: 'argon2',
    },
    'the password is hashed in a way that is not known',
    'disabled in Keycloak',
    expect.stringContaining('make an API key'),
    { email: 'm@n', name: 'a "quote" } ] \\', emailVerified: false, externalId: '8', metadata: { users: '{"id":"9"}' } },
  ];
  for (const [text, size] of [
    [JSON.stringify(document), 3],
    [JSON.stringify(document, null, 2), 1],
    [JSON.stringify(document), 1_000_000],
  ] as const) {
    const found = await collect(rowsOfKeycloak(streamOf(text, size)));
    expect(found.map(([, each]) => each)).toStrictEqual(expected);
  }
});

test('Keycloak: what is no export, or only the half of one, is refused', async () => {
  for (const [text, said] of [
    ['{"realm":"x"}', 'no list "users"'],
    ['{"users":[{"id":"1","email":"a@b"}', 'ends in the middle'],
    ['{"users":[{"id":"1"', 'ends in the middle'],
    [`{"users":[{"id":"${'x'.repeat(600_000)}"}]}`, 'longer than'],
  ] as const)
    await expect(collect(rowsOfKeycloak(streamOf(text, 65_536)))).rejects.toThrow(said);
});

test('Cognito: what list-users answers, without disabled people and without custom attributes', async () => {
  const attributes = (given: Readonly<Record<string, string>>) => Object.entries(given).map(([Name, Value]) => ({ Name, Value }));
  const users = [
    {
      Username: 'u1',
      Enabled: true,
      UserStatus: 'CONFIRMED',
      Attributes: attributes({ sub: 's1', email: 'a@b', email_verified: 'true', name: 'A', locale: 'de', 'custom:role': 'admin' }),
    },
    { Username: 'u2', Attributes: attributes({ email: 'c@d', given_name: 'C', family_name: 'D' }) },
    { Username: 'u3', Enabled: false, Attributes: attributes({ email: 'e@f' }) },
    { Username: 'u4', Attributes: attributes({ phone_number: '+49301' }) },
    { Username: 'u5', Attributes: attributes({ email: 'g@h', email_verified: 'perhaps' }) },
    { Username: 'u6' },
    { Username: 'u7', Attributes: [{ Name: 'email', Value: 7 }, null, 'email'] },
  ];
  const found = await collect(rowsOfCognito(streamOf(JSON.stringify({ Users: users }), 5)));
  expect(found.map(([, each]) => each)).toStrictEqual([
    { email: 'a@b', name: 'A', emailVerified: true, externalId: 's1', metadata: { locale: 'de' } },
    {
      email: 'c@d',
      name: 'C D',
      emailVerified: false,
      externalId: 'u2',
      metadata: { given_name: 'C', family_name: 'D' },
    },
    'disabled in Cognito',
    'email is no address',
    'email_verified must be true or false',
    'email is no address',
    'email is no address',
  ]);
  await expect(collect(rowsOfCognito(streamOf('{"users":[]}')))).rejects.toThrow('no export of Cognito: it has no list "Users"');
});

test('Cognito: a table with the columns of the user pool', async () => {
  const columns = 'cognito:username,name,given_name,email,email_verified,cognito:mfa_enabled,updated_at,custom:plan';
  const rows = ['u1,Radia,,radia@example.com,TRUE,FALSE,1700000000,pro', 'u2,,Ada,ada@example.com,,,,', 'u3,,,,true,,,'];
  const read = (text: string) => collect(rowsOfCsv(streamOf(text), ',', cognitoTable));
  expect(await read([columns, ...rows].join('\n'))).toStrictEqual([
    [2, { email: 'radia@example.com', name: 'Radia', emailVerified: true, externalId: 'u1' }],
    [3, { email: 'ada@example.com', name: 'Ada', emailVerified: false, externalId: 'u2', metadata: { given_name: 'Ada' } }],
    [4, 'email is no address'],
  ]);
  expect(await read('cognito:username,sub,email\nu1,s1,a@b\n')).toStrictEqual([
    [2, { email: 'a@b', externalId: 's1', emailVerified: false }],
  ]);
  await expect(read('email,name\n')).rejects.toThrow('email and cognito:username');
  await expect(read('cognito:username,email,email\n')).rejects.toThrow('each column once');
});
