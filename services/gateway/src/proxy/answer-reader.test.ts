import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { test } from 'node:test';
import { AnswerReader } from './answer-reader.ts';

type Read = { status: number; headers: IncomingHttpHeaders; body: string; left: string; keepAliveMs: number; isEnded: boolean };

/** In pieces of so many bytes, what was left of one before the next. */
function readIn(pieceBytes: number, text: string, method = 'GET'): Read {
  const read: Read = { status: 0, headers: {}, body: '', left: '', keepAliveMs: 0, isEnded: false };
  const reader = new AnswerReader({
    onHead: (status, headers) => Object.assign(read, { status, headers: { ...headers } }),
    onBody: (chunk) => {
      read.body += chunk.toString('latin1');
    },
    goesOn: () => true,
  });
  reader.begin(method);
  let left = Buffer.alloc(0);
  for (let at = 0; at < text.length; at += pieceBytes) {
    const bytes = Buffer.concat([left, Buffer.from(text.slice(at, at + pieceBytes), 'latin1')]);
    left = Buffer.from(bytes.subarray(reader.read(bytes, 0, bytes.length)));
  }
  return {
    ...read,
    left: left.toString('latin1'),
    keepAliveMs: reader.keepAliveMs,
    isEnded: reader.isEnded,
  };
}

/** However it comes, it reads the same. */
function readAnswer(text: string, method?: string): Read {
  const whole = readIn(text.length, text, method);
  for (const pieceBytes of [1, 2, 7]) assert.deepEqual(readIn(pieceBytes, text, method), whole, `in pieces of ${pieceBytes}`);
  return whole;
}

const ok = 'HTTP/1.1 200 OK\r\n';

test('an answer is read as it is framed: by its length, in chunks, or without a body', () => {
  const cases: Record<string, [text: string, body: string, method?: string]> = {
    length: [`${ok}content-length: 5\r\n\r\nwhole`, 'whole'],
    'no bytes': [`${ok}content-length: 0\r\n\r\n`, ''],
    chunks: [
      `${ok}transfer-encoding: chunked\r\n\r\n5\r\nwhole\r\nB; name=value\r\n and\r\nsome \r\n000\r\nx-trailer: 1\r\n\r\n`,
      'whole and\r\nsome ',
    ],
    'no chunk': [`${ok}Transfer-Encoding: Chunked\r\n\r\n0\r\n\r\n`, ''],
    'no content': ['HTTP/1.1 204 No Content\r\n\r\n', ''],
    'no content, with the length of that': ['HTTP/1.1 204 No Content\r\ncontent-length: 0\r\n\r\n', ''],
    'not modified': ['HTTP/1.1 304 Not Modified\r\ncontent-length: 5\r\n\r\n', ''],
    'only asked for the head': [`${ok}content-length: 5\r\n\r\n`, '', 'HEAD'],
    'only asked for the head of chunks': [`${ok}transfer-encoding: chunked\r\n\r\n`, '', 'HEAD'],
    'only asked for a head without length': [`${ok}\r\n`, '', 'HEAD'],
    'told before': [`HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n${ok}content-length: 1\r\n\r\nx`, 'x'],
    'no reason': ['HTTP/1.1 200\r\ncontent-length: 1\r\n\r\nx', 'x'],
  };
  for (const [name, [text, body, method]] of Object.entries(cases)) {
    const read = readAnswer(text, method);
    assert.deepEqual([read.body, read.isEnded, read.left], [body, true, ''], name);
  }
});

test('headers keep their values and lose their capitals; what comes twice is a list', () => {
  const { headers } = readAnswer(
    `${ok}Content-Type: \t text/plain \t\r\nX-Empty:\r\nETag:"a:b"\r\nx-name: J\xc3\xa0\r\nset-cookie: a=1\r\nvary: a\r\nVary: b\r\nvary: c\r\n` +
      `__proto__: x\r\ncontent-length: 0\r\n\r\n`,
  );
  assert.deepEqual(Object.entries(headers), [
    ['content-type', 'text/plain'],
    ['x-empty', ''],
    ['etag', '"a:b"'],
    ['x-name', 'J\xc3\xa0'],
    ['set-cookie', ['a=1']],
    ['vary', ['a', 'b', 'c']],
    ['__proto__', 'x'],
    ['content-length', '0'],
  ]);
});

test('what could be read in two ways, or is no HTTP, is refused', () => {
  const heads = {
    'no HTTP': 'nonsense',
    'another version': 'HTTP/2 200 OK',
    'no status': 'HTTP/1.1 OK',
    'a short status': 'HTTP/1.1 20 OK',
    'another protocol from here on': 'HTTP/1.1 101 Switching Protocols',
    'two lengths': `${ok}content-length: 1\r\ncontent-length: 1`,
    'a length and chunks': `${ok}content-length: 1\r\ntransfer-encoding: chunked`,
    'a length that is none': `${ok}content-length: +1`,
    'a length in other numbers': `${ok}content-length: 0x1`,
    'an empty length': `${ok}content-length:`,
    'two lengths in one': `${ok}content-length: 1, 1`,
    'no length and no chunks': ok.trimEnd(),
    'the length of no content': 'HTTP/1.1 204 No Content\r\ncontent-length: 5',
    'no length of what was not modified': 'HTTP/1.1 304 Not Modified\r\ncontent-length: 5, 5',
    'another coding': `${ok}transfer-encoding: gzip, chunked`,
    'two codings': `${ok}transfer-encoding: chunked\r\ntransfer-encoding: chunked`,
    'chunks of an old server': 'HTTP/1.0 200 OK\r\ntransfer-encoding: chunked',
    'a folded line': `${ok}x-name: a\r\n b: c`,
    'a blank before the colon': `${ok}x-name : a`,
    'no name': `${ok}: a`,
    'no colon': `${ok}x-name`,
    'a line that ends otherwise': `${ok}x-name: a\nset-cookie: b`,
    'a lone carriage return': `${ok}x-name: a\rset-cookie: b`,
    'a zero byte': `${ok}x-name: a\0`,
  };
  for (const [name, head] of Object.entries(heads))
    for (const pieceBytes of [1, 1_000]) assert.throws(() => readIn(pieceBytes, `${head}\r\n\r\n`), { name: 'HTTPParserError' }, name);
  for (const length of ['+5', '5, 5', ''])
    assert.throws(() => readIn(1_000, `${ok}content-length: ${length}\r\n\r\n`, 'HEAD'), { name: 'HTTPParserError' }, length);
  const chunked = `${ok}transfer-encoding: chunked\r\n\r\n`;
  for (const body of [
    'x\r\n',
    '\r\n',
    '-1\r\n',
    '1 1\r\n',
    '0x1\r\n',
    '1\r\nabc\r\n',
    '1\na\n',
    '\n',
    '1\r\na\n',
    '0\r\nx: 1\n',
    '1fffffffffffff\r\n',
  ])
    assert.throws(() => readIn(1_000, `${chunked}${body}`), { name: 'HTTPParserError' }, JSON.stringify(body));
  const endless = 'x'.repeat(20_000);
  for (const text of [endless, `${ok}x-name: ${endless}`, `${chunked}1;${endless}`, `${chunked}0\r\n${endless}`])
    assert.throws(() => readIn(1_000, text), { code: 'UND_ERR_HEADERS_OVERFLOW' });
});

test('a connection is kept for as long as the answer allows, and nothing after the answer is taken for a part of it', () => {
  const keepAliveMsOf = (head: string) => readAnswer(`${head}\r\n`).keepAliveMs;
  const empty = 'content-length: 0\r\n';
  assert.equal(keepAliveMsOf(`${ok}${empty}`), 30_000);
  assert.equal(keepAliveMsOf(`${ok}${empty}connection: keep-alive\r\nkeep-alive: timeout=5\r\n`), 4_000);
  assert.equal(keepAliveMsOf(`${ok}${empty}keep-alive: timeout=72\r\n`), 30_000);
  assert.equal(keepAliveMsOf(`${ok}${empty}keep-alive: timeout=1\r\n`), 0);
  assert.equal(keepAliveMsOf(`${ok}${empty}Connection: Close\r\n`), 0);
  assert.equal(keepAliveMsOf(`HTTP/1.0 200 OK\r\n${empty}`), 0);
  assert.deepEqual(readIn(1_000, `${ok}content-length: 1\r\n\r\nx${ok}`).left, ok);
});

test('what is held back is read later, and not before', () => {
  let body = '';
  let goesOn = true;
  const onBody = (chunk: Buffer): void => {
    body += String(chunk);
    goesOn = false;
  };
  const reader = new AnswerReader({ onHead: () => undefined, onBody, goesOn: () => goesOn });
  const bytes = Buffer.from(`${ok}transfer-encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n0\r\n\r\n`);
  reader.begin('GET');
  const at = reader.read(bytes, 0, bytes.length);
  assert.equal(body, 'a');
  goesOn = true;
  const next = reader.read(bytes, at, bytes.length);
  assert.equal(body, 'ab');
  goesOn = true;
  assert.equal(reader.read(bytes, next, bytes.length), bytes.length);
  assert.equal(reader.isEnded, true);
});
