import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { noteEvidence } from '../support/evidence.ts';

/** A folder for what `secret-search.ts` searches, and a receiver of the stacks' traces. */
export async function openEvidence(): Promise<{ readonly folder: string } & AsyncDisposable> {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-evidence-'));
  const receiver = createServer(async (request, response) => {
    noteEvidence('trace', (await buffer(request)).toString('utf8'));
    response.setHeader('content-type', 'application/json').end('{}');
  });
  await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening));
  process.env.TEST_EVIDENCE = folder;
  process.env.TEST_OTLP_ENDPOINT = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  return {
    folder,
    async [Symbol.asyncDispose]() {
      receiver.closeAllConnections();
      receiver.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
