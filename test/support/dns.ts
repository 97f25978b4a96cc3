/** A DNS server on loopback that shows what a test puts into it. The messages are dns-packet's. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import packet, { type Packet } from 'dns-packet';
import { choosePort } from '../../tools/stack/ports.ts';

/** TXT records, or how the server fails for the name. `silent`: no answer. */
export type Shown =
  | { readonly texts: readonly string[] }
  | { readonly alias: string }
  | { readonly fails: 'NXDOMAIN' | 'SERVFAIL' | 'REFUSED' | 'silent' | 'garbage' };

const codes = { NXDOMAIN: 3, SERVFAIL: 2, REFUSED: 5 } as const;
/** RFC 1035 section 3.3.14: a text is made of strings of 255 bytes. */
const chunksOf = (text: string) => text.match(/.{1,255}/gs) ?? [''];

export type Records = {
  find(name: string): Shown | undefined;
  show(name: string, shown: Shown): void;
  remove(name: string): void;
};

function createRecords(): Records {
  const records = new Map<string, Shown>();
  return {
    find: (name) => records.get(name),
    show: (name, shown) => void records.set(name, shown),
    remove: (name) => void records.delete(name),
  };
}

/** A file each: the tests that share a server are processes of their own. */
export function recordsIn(folder: string): Records {
  mkdirSync(folder, { recursive: true });
  const fileOf = (name: string) => join(folder, `${encodeURIComponent(name)}.json`);
  return {
    find: (name) => (existsSync(fileOf(name)) ? (JSON.parse(readFileSync(fileOf(name), 'utf8')) as Shown) : undefined),
    show: (name, shown) => writeFileSync(fileOf(name), JSON.stringify(shown)),
    remove: (name) => rmSync(fileOf(name), { force: true }),
  };
}

export type TestDns = Awaited<ReturnType<typeof openDns>>;

export async function openDns(records: Records = createRecords()) {
  const names: string[] = [];

  /** Follows an alias, as a resolver does. */
  function answersTo(name: string): { readonly code: number; readonly answers: Packet['answers'] } | 'silent' | 'garbage' {
    const shown = records.find(name) ?? records.find(name.replace(/^[^.]+/, '*')) ?? { fails: 'NXDOMAIN' };
    if ('texts' in shown) return { code: 0, answers: shown.texts.map((text) => ({ type: 'TXT', name, ttl: 60, data: chunksOf(text) })) };
    if ('alias' in shown) {
      const next = answersTo(shown.alias);
      if (typeof next === 'string') return next;
      return { code: next.code, answers: [{ type: 'CNAME', name, ttl: 60, data: shown.alias }, ...(next.answers ?? [])] };
    }
    return shown.fails === 'silent' || shown.fails === 'garbage' ? shown.fails : { code: codes[shown.fails], answers: [] };
  }

  function answer(query: Buffer): Buffer | undefined {
    const { id, questions = [] } = packet.decode(query);
    const name = questions[0]?.name ?? '';
    names.push(name);
    const found = answersTo(name);
    if (found === 'silent') return undefined;
    if (found === 'garbage') return Buffer.from('no message');
    const flags = packet.RECURSION_DESIRED | packet.RECURSION_AVAILABLE | found.code;
    return packet.encode({ type: 'response', id: id ?? 0, flags, questions, answers: found.answers ?? [] });
  }

  const udp = createSocket('udp4');
  udp.on('message', (query, { port, address }) => {
    const whole = answer(query);
    if (whole === undefined) return;
    // The rest is asked for by TCP.
    const { id, questions } = packet.decode(query);
    const cut = packet.encode({ type: 'response', id: id ?? 0, flags: packet.TRUNCATED_RESPONSE, questions: questions ?? [] });
    udp.send(whole.length > 1_232 ? cut : whole, port, address);
  });
  // Both protocols need one number; in the ephemeral range any connection may hold it for TCP.
  const port = await choosePort(0, '127.0.0.1');
  udp.bind(port, '127.0.0.1');
  await once(udp, 'listening');
  const sockets = new Set<Socket>();
  const tcp = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (framed) => {
      const whole = answer(framed.subarray(2));
      if (whole === undefined) return;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(Math.min(whole.length, 65_535));
      socket.write(Buffer.concat([length, whole.subarray(0, 65_535)]));
    });
  });
  tcp.listen(port, '127.0.0.1');
  await once(tcp, 'listening');

  return {
    /** For DOMAINS_DNS_SERVERS. */
    server: `127.0.0.1:${port}`,
    /** The names that were asked for. */
    names,
    show: records.show,
    remove: records.remove,
    close: () => {
      udp.close();
      tcp.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
