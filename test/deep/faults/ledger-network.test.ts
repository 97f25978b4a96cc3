/** Networks that are slow, silent or cut, or lose, double and reorder messages, under traffic. */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { databaseServices } from '../../../tools/services.ts';
import { record } from '../../support/faults/record.ts';
import { repeatNotices } from '../../support/faults/site/echo.ts';
import { openSite, type Site, siteUnless, type Wires } from '../../support/faults/site/site.ts';
import { Traffic } from '../../support/faults/site/traffic.ts';
import { measuredHere, type Result, tableHead, tableRow, undergo } from '../../support/faults/site/undergo.ts';
import type { Wire } from '../../support/faults/site/wire.ts';
import { describeUnless } from '../../support/unless.ts';

const heldMs = 4_000;
const rows: Result[] = [];
let site: Site;
let traffic: Traffic;

async function survives(name: string, inflict: () => Promise<void>): Promise<Result> {
  const result = await undergo(name, site, traffic, inflict);
  rows.push(result);
  write();
  expect([result.lost, result.broken]).toStrictEqualFor(name, [[], []]);
  expect(result.acknowledged).toBeGreaterThan(5);
  return result;
}

type WireName = keyof Wires;
const places: Readonly<Record<string, readonly WireName[]>> = {
  'to Postgres': ['postgres'],
  'to NATS': ['nats'],
  'to Redis': ['redis'],
  'between the services': databaseServices,
};

/** The fault on these wires, taken back after some seconds. */
function onWires(names: readonly WireName[], fault: (wire: Wire) => void, { isBroken = true } = {}): () => Promise<void> {
  return async () => {
    for (const name of names) fault(site.wires[name]);
    await sleep(heldMs);
    for (const name of names) {
      site.wires[name].mend();
      // A connection that has lost bytes is of no use.
      if (isBroken) site.wires[name].reset();
    }
  };
}

describeUnless(siteUnless())('under traffic', () => {
  beforeAll(async () => {
    site = await openSite();
    traffic = await Traffic.prepare(site.stack, site.urls);
  });
  afterAll(async () => {
    await traffic?.close();
    await site?.[Symbol.asyncDispose]();
  });

  for (const [place, names] of Object.entries(places)) {
    test(`slow ${place}`, async () => {
      const delay = (wire: Wire) => {
        wire.delayMs = 60;
      };
      const slow = onWires(names, delay, { isBroken: false });
      await survives(`60 ms more each way ${place}`, slow);
    });
    test(`silent ${place}`, async () => {
      await survives(
        `nothing arrives ${place} for ${heldMs / 1_000} s`,
        onWires(names, (wire) => wire.silence()),
      );
    });
    test(`cut ${place}`, async () => {
      await survives(
        `connections ${place} cut for ${heldMs / 1_000} s`,
        onWires(names, (wire) => wire.cut()),
      );
    });
  }

  test('events whose receipt is lost are sent again, and count once', async () => {
    const deaf = onWires(databaseServices, (wire) => {
      wire.dropsAnswers = true;
    });
    await survives(`answers between the services dropped for ${heldMs / 1_000} s`, deaf);
  });

  test('notices that come twice, late and in another order', async () => {
    await survives('every notice doubled, delayed and reordered', async () => {
      await using echo = await repeatNotices(site.natsPort, 3_000);
      await sleep(heldMs);
      expect(echo.repeated).toBeGreaterThan(0);
    });
  });

  test('a flood of connections at a gateway', async () => {
    await survives('1,500 idle and half-sent connections at each gateway', async () => {
      const sockets = site.urls.flatMap((url) => Array.from({ length: 1_500 }, (_, index) => flood(url, index)));
      await sleep(heldMs);
      for (const socket of sockets) socket.destroy();
    });
  });
});

/** A connection that says nothing, or half of a request. */
function flood(url: string, index: number): Socket {
  const { port } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => undefined);
  if (index % 2 === 0) socket.write('POST /api/auth/login HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n');
  return socket;
}

/** After each case, so that a run that is cut off leaves what it has measured. */
function write(): void {
  record('Ledger of faults: networks', [
    'The same installation, with a TCP proxy on the way to each engine and each service; the same traffic and the same comparison.',
    `Doubled and reordered: every notice on NATS comes a second time, up to 3 s later, in another order. ${measuredHere()}`,
    '',
    ...tableHead,
    ...rows.map(tableRow),
  ]);
}
