/**
 * What every verifier relies on of revocation.v1.Revocations. It runs on the services that
 * implement it and on the fakes of them, so that a fake which drifts away fails.
 */
import { describe, expect, test } from '@jest/globals';
import type * as wire from '../../../generated/revocation.v1.ts';

export type RevocationsUnderContract = { readonly list: (request: wire.ListRequest) => Promise<wire.ListResponse> };

type Subject = {
  readonly revocations: () => RevocationsUnderContract;
  /** Ends one token or its like; returns what the list says of it. */
  readonly revoke: () => Promise<Pick<wire.Revocation, 'kind' | 'value'>>;
};

const kinds = ['jti', 'user', 'kid'];

/** Registers the suite. `revocations` is looked up in each test: a service starts after that. */
export function describeRevocationsContract({ revocations, revoke }: Subject): void {
  const list = (cursor: string) => revocations().list({ cursor });

  describe('revocation.v1.Revocations', () => {
    test('an empty cursor lists all that are in force, each of a known kind and with its times', async () => {
      const made = [await revoke(), await revoke()];
      const { revocations: listed, scopes } = await list('');
      for (const one of made) expect(listed).toContainEqual(expect.objectContaining(one));
      expect(listed.every(({ kind }) => kinds.includes(kind))).toBe(true);
      for (const { before, expiresAt } of [...listed, ...scopes])
        expect([Number.isNaN(Date.parse(before)), Date.parse(expiresAt) > Date.now()]).toStrictEqual([false, true]);
    });

    test('a cursor lists what came after it, and is never empty', async () => {
      const { cursor } = await list('');
      expect(cursor).not.toBe('');
      const made = await revoke();
      const next = await list(cursor);
      expect(next.revocations).toContainEqual(expect.objectContaining(made));
      expect(next.cursor).not.toBe('');
    });
  });
}
