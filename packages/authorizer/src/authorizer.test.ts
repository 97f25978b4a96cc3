import { describe, expect, test } from '@jest/globals';
import { type AuthorizerOptions, createAuthorizer } from './authorizer.ts';
import type { TenantChanges } from './changes.ts';
import { AuthorizerError } from './errors.ts';
import type { Question, Transport } from './question.ts';

const organizationId = '0190a000-0000-7000-8000-00000000000a';
const scope = { tenant: 'organization', id: organizationId } as const;
const reads: Question = { userToken: 'token of Ada', scope, resource: 'Invoice', action: 'Read' };

/** A platform that answers yes unless `rights.open` is false, and refuses some resources. */
function open(options?: AuthorizerOptions, mostQuestions = 1_000) {
  const rights = { open: true, isDown: false };
  const batches: (readonly Question[])[] = [];
  const refused: Record<string, 'INVALID_ARGUMENT' | 'PERMISSION_DENIED'> = { Bad: 'INVALID_ARGUMENT', Elsewhere: 'PERMISSION_DENIED' };
  const transport: Transport = {
    mostQuestions,
    async ask(questions) {
      batches.push(questions);
      if (rights.isDown) throw new AuthorizerError('UNAVAILABLE', 'down');
      for (const { resource } of questions) {
        const code = refused[resource];
        if (code !== undefined) throw new AuthorizerError(code, resource);
      }
      return questions.map(() => ({ authorized: rights.open, reason: String(rights.open) }));
    },
    listPermissions: async () => [],
    close: () => undefined,
  };
  return { authorizer: createAuthorizer(transport, options), rights, batches };
}

type Notice = (tenantKey?: string) => void;
function heardBy(notices: Notice[]): TenantChanges {
  return (onChange) => {
    notices.push(onChange);
    return () => undefined;
  };
}

describe('the batch', () => {
  test('questions of one moment travel together, in parts of the most that a call may have', async () => {
    const { authorizer, batches } = open({}, 400);
    const actions = Array.from({ length: 1_000 }, (_, index) => ({ ...reads, action: `Read${index}` }));
    const decisions = await authorizer.decideMany(actions);
    expect(decisions).toHaveLength(1_000);
    expect(batches.map(({ length }) => length)).toStrictEqual([400, 400, 200]);
  });

  test('a question that is refused for what it says fails alone', async () => {
    const { authorizer } = open();
    const ask = (resource: string) => authorizer.isAuthorized({ ...reads, resource }).catch(({ code }) => code);
    expect(await Promise.all(['A', 'Bad', 'B', 'Elsewhere', 'C'].map(ask))).toStrictEqual([
      true,
      'INVALID_ARGUMENT',
      true,
      'PERMISSION_DENIED',
      true,
    ]);
  });

  test('without an answer every question fails, and the batch is sent once', async () => {
    const { authorizer, rights, batches } = open();
    rights.isDown = true;
    const asked = await Promise.allSettled(['A', 'B', 'C'].map((resource) => authorizer.isAuthorized({ ...reads, resource })));
    expect(asked.map(({ status }) => status)).toStrictEqual(['rejected', 'rejected', 'rejected']);
    expect(batches).toHaveLength(1);
  });
});

describe('the cache', () => {
  test('an answer is used again, for its own question only', async () => {
    const { authorizer, batches } = open();
    const others: Partial<Question>[] = [
      { userToken: 'token of Bo' },
      { resource: 'Order' },
      { action: 'Write' },
      { target: { amount: 1 } },
      { target: { amount: 2 } },
      { scope: { tenant: 'account', id: organizationId } },
    ];
    for (const _ of [1, 2]) for (const other of [{}, ...others]) await authorizer.decide({ ...reads, ...other });
    await authorizer.decide({ scope, resource: 'Invoice', action: 'Read', subject: { type: 'user', userId: 'a' } });
    await authorizer.decide({ scope, resource: 'Invoice', action: 'Read', subject: { type: 'user', userId: 'b' } });
    expect(batches).toHaveLength(others.length + 3);
  });

  test('a failure is not kept', async () => {
    const { authorizer, rights } = open();
    rights.isDown = true;
    await expect(authorizer.isAuthorized(reads)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    rights.isDown = false;
    expect(await authorizer.isAuthorized(reads)).toBe(true);
  });

  test('noCache and a consistency token go past it', async () => {
    const { authorizer, rights } = open();
    await authorizer.isAuthorized(reads);
    rights.open = false;
    expect(await authorizer.isAuthorized(reads)).toBe(true);
    expect(await authorizer.isAuthorized({ ...reads, noCache: true })).toBe(false);
    expect(await authorizer.isAuthorized({ ...reads, consistencyToken: 'a write' })).toBe(false);
  });

  test('a change of its tenant ends an answer, and that of another does not', async () => {
    const notices: Notice[] = [];
    const { authorizer, rights } = open({ changes: heardBy(notices) });
    const { scope: _, ...anywhere } = reads;
    await authorizer.decideMany([reads, anywhere]);
    rights.open = false;
    notices[0]?.('0190a000-0000-7000-8000-00000000000b');
    expect(await authorizer.isAuthorized(reads)).toBe(true);
    expect(await authorizer.isAuthorized(anywhere)).toBe(false); // its scope is known to the server alone
    notices[0]?.(organizationId);
    expect(await authorizer.isAuthorized(reads)).toBe(false);
    rights.open = true;
    authorizer.forget();
    expect(await authorizer.isAuthorized(reads)).toBe(true);
  });

  test('an answer that was asked for before a change is not kept after it', async () => {
    const notices: Notice[] = [];
    const { authorizer, rights } = open({ changes: heardBy(notices) });
    const asked = authorizer.isAuthorized(reads);
    notices[0]?.(organizationId);
    await asked;
    rights.open = false;
    expect(await authorizer.isAuthorized(reads)).toBe(false);
  });

  test('an answer is as old as a second at most', async () => {
    expect(() => open({ maxAgeMs: 1_001 })).toThrow(RangeError);
    const { authorizer, rights } = open({ maxAgeMs: 20 });
    await authorizer.isAuthorized(reads);
    rights.open = false;
    await new Promise((resolve) => setTimeout(resolve, 25));
    expect(await authorizer.isAuthorized(reads)).toBe(false);
  });
});

test('a question must say whose rights it is about, and say it once', async () => {
  const { authorizer, batches } = open();
  const { userToken: _, ...whose } = reads;
  for (const question of [whose, { ...reads, subject: { type: 'self' } as const }]) {
    await expect(authorizer.decide(question)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    await expect(authorizer.explain(question)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    await expect(authorizer.listPermissions(question)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  }
  expect(batches).toHaveLength(0);
});
