import { createBatcher } from '@tessera/kernel/grpc';
import type { Database } from '@tessera/kernel/postgres';
import { LRUCache } from 'lru-cache';
import { type CredentialedKey, findCredentials } from './api-keys.ts';

/** API keys as the exchange reads them. Answers, also that there is none, are at most half a second old. */
export type Credentials = {
  find(clientId: string): Promise<CredentialedKey | undefined>;
  /** This key is not what it was: whoever asks from now on is answered from the database. */
  forget(keyId: string): void;
};

const keptMs = 500;
const answersKept = 10_000;
const mostAtOnce = 200;

export function createCredentials(database: Database, perf: { now(): number } = performance): Credentials {
  const answers = new LRUCache<string, Promise<CredentialedKey | undefined>>({ max: answersKept, ttl: keptMs, ttlResolution: 0, perf });
  /** By key id, for longer than any answer lives that was on its way when the key changed. */
  const changed = new LRUCache<string, true>({ max: answersKept, ttl: 2 * keptMs, ttlResolution: 0, perf });

  /** One query for all exchanges that come together. */
  const read = createBatcher({
    maxSize: mostAtOnce,
    run: async (clientIds: readonly string[]) => {
      const found = new Map((await findCredentials(database, clientIds)).map((key) => [key.clientId, key]));
      return clientIds.map((clientId) => found.get(clientId));
    },
  });

  /** A failure is asked again. */
  const ask = (clientId: string): Promise<CredentialedKey | undefined> => {
    const answer = read(clientId);
    answers.set(clientId, answer);
    answer.catch(() => {
      if (answers.peek(clientId) === answer) answers.delete(clientId);
    });
    return answer;
  };

  return {
    async find(clientId) {
      const key = await (answers.get(clientId) ?? ask(clientId));
      return key === undefined || !changed.has(key.id) ? key : read(clientId);
    },
    forget: (keyId) => void changed.set(keyId, true),
  };
}
