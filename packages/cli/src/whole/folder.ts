/** The folder of an export: one JSON object a line, private to the account that made it. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { exitCodes, Failure } from '../failure.ts';
import type { List } from './lists.ts';
import type { Thing } from './pages.ts';

/** The API never shows a secret twice; what looks like one is left out all the same. */
const secretName = /^(?:clientSecret|passwordHash)$/;
const webhookSecret = /^whsec_/;

export function openFolder(path: string): void {
  if (existsSync(path) && readdirSync(path).length > 0) throw new Failure(`${path} is not empty.`, exitCodes.usage);
  mkdirSync(path, { recursive: true, mode: 0o700 });
}

export function writeObject(path: string, value: object): void {
  writeFileSync(path, `${JSON.stringify(value, withoutSecrets, 2)}\n`, { mode: 0o600, flag: 'wx' });
}

export type Written = { readonly file: string; readonly count: number; readonly hasChanged: boolean };

const mostPending = 64 * 1024;

/** Writes the list as it comes. `hasChanged`: the server counted another number at the end. */
export async function writeList(folder: string, list: List, onItem: (item: Thing) => void = () => undefined): Promise<Written> {
  const file = `${list.name}.ndjson`;
  const handle = await open(join(folder, file), 'wx', 0o600);
  let [count, pending] = [0, ''];
  try {
    const items = list.read();
    for (let next = await items.next(); ; next = await items.next()) {
      if (next.done) {
        await handle.writeFile(pending);
        return { file, count, hasChanged: next.value !== undefined && next.value.total !== count };
      }
      onItem(next.value);
      count += 1;
      pending += `${JSON.stringify(next.value, withoutSecrets)}\n`;
      if (pending.length < mostPending) continue;
      await handle.writeFile(pending);
      pending = '';
    }
  } finally {
    await handle.close();
  }
}

function withoutSecrets(name: string, value: unknown): unknown {
  return typeof value === 'string' && (secretName.test(name) || webhookSecret.test(value)) ? undefined : value;
}
