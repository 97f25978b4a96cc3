import { expect, test } from '@jest/globals';
import { assertWithin, until } from '../../../test/support/until.ts';
import { newId } from '../ids/index.ts';
import { createRevocations, createTokenVerifier, type Revocation, type RevocationSource } from './index.ts';
import { appUrl, createSigner, makeToken, now, seconds, sessionClaims } from './testing/tokens.ts';

function later(ms: number) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
function iso(ms: number): string {
  return new Date(ms).toISOString();
}
function entry(kind: Revocation['kind'], value: string): Revocation {
  return { kind, value, before: iso(now), expiresAt: iso(now + 900_000) };
}

function setUp(source: Partial<RevocationSource> = {}, pullSeconds = 3) {
  const handlers = { revocation: (_: object): void => undefined, reconnect: (): void => undefined };
  const state = { time: now };
  const revocations = createRevocations({
    sources: [{ name: 'identity', list: async ({ cursor }) => ({ revocations: [], scopes: [], cursor }), ...source }],
    notices: {
      subscribe: (_, handler) => {
        handlers.revocation = handler;
      },
      onReconnect: (handler) => {
        handlers.reconnect = handler;
      },
    },
    clock: () => state.time,
    pullSeconds,
  });
  return { revocations, handlers, state };
}

function claims(changes: object = {}) {
  return { jti: newId(), sub: newId(), iat: seconds, ...changes };
}

test('a jti is refused always; a user and a key only for tokens issued up to then', () => {
  const { revocations } = setUp();
  const [jti, sub, kid] = [newId(), newId(), newId()];
  revocations.add(entry('jti', jti));
  revocations.add(entry('user', sub));
  revocations.add(entry('kid', kid));
  expect(revocations.isRevoked(claims({ jti, iat: seconds + 100 }), 'k')).toBe(true);
  expect(revocations.isRevoked(claims({ sub }), 'k')).toBe(true);
  expect(revocations.isRevoked(claims({ sub, iat: seconds + 1 }), 'k')).toBe(false);
  expect(revocations.isRevoked(claims(), kid)).toBe(true);
  expect(revocations.isRevoked(claims({ iat: seconds + 1 }), kid)).toBe(false);
  expect(revocations.isRevoked(claims(), 'k')).toBe(false);
});

test('the scope of a project grant is refused for its tokens issued up to then, and for no other scope', async () => {
  const [heard, pulled, other] = [`${newId()}:${newId()}`, `${newId()}:${newId()}`, `${newId()}:${newId()}`];
  const { kind: _, ...listed } = entry('scope', pulled);
  const { revocations, handlers } = setUp({ list: async () => ({ revocations: [], scopes: [listed], cursor: '1' }) });
  await revocations.start();
  handlers.revocation(entry('scope', heard));
  for (const scope of [heard, pulled]) {
    expect(revocations.isRevoked(claims(), 'k', scope)).toBe(true);
    expect(revocations.isRevoked(claims({ iat: seconds + 1 }), 'k', scope)).toBe(false);
  }
  expect([revocations.isRevoked(claims(), 'k', other), revocations.isRevoked(claims(), 'k')]).toStrictEqual([false, false]);
  revocations.stop();
});

test('an earlier revocation that arrives late takes nothing back', () => {
  const { revocations } = setUp();
  const sub = newId();
  revocations.add(entry('user', sub));
  revocations.add({ ...entry('user', sub), before: iso(now - 60_000), expiresAt: iso(now) });
  expect(revocations.isRevoked(claims({ sub }), 'k')).toBe(true);
});

test('what a source knows is pulled page by page from the cursor on, and a notice is believed at once', async () => {
  const first = newId();
  const second = newId();
  const cursors: string[] = [];
  const pages: Record<string, Revocation[]> = { '': [entry('jti', first)], '1': [entry('jti', second)] };
  const { revocations, handlers } = setUp({
    list: async ({ cursor }) => {
      cursors.push(cursor);
      const page = pages[cursor] ?? [];
      return { revocations: page, scopes: [], cursor: page.length > 0 ? String(Number(cursor) + 1) : cursor };
    },
  });
  expect(revocations.fresh).toBe(false);
  await revocations.start();
  expect(cursors).toStrictEqual(['', '1', '2']);
  expect(revocations.fresh).toBe(true);
  expect(revocations.isRevoked(claims({ jti: first }), 'k')).toBe(true);
  expect(revocations.isRevoked(claims({ jti: second }), 'k')).toBe(true);
  const pushed = newId();
  handlers.revocation(entry('jti', pushed));
  expect(revocations.isRevoked(claims({ jti: pushed }), 'k')).toBe(true);
  handlers.reconnect();
  await later(5);
  expect(cursors.at(-1)).toBe('2');
  expect(cursors).toHaveLength(4);
  revocations.stop();
});

test('a source that starts late is asked again soon', () =>
  assertWithin(1_500, async () => {
    let calls = 0;
    const { revocations } = setUp({
      list: async ({ cursor }) => {
        calls += 1;
        if (calls < 3) throw new Error('starting');
        return { revocations: [], scopes: [], cursor };
      },
    });
    await revocations.start();
    revocations.stop();
  }));

test('a pull that fails is repeated long before the next regular one', async () => {
  let calls = 0;
  const { revocations, handlers } = setUp(
    {
      list: async ({ cursor }) => {
        calls += 1;
        if (calls === 2) throw new Error('away for a moment');
        return { revocations: [], scopes: [], cursor };
      },
    },
    3_600,
  );
  await revocations.start();
  handlers.reconnect();
  await until(() => calls === 3);
  revocations.stop();
});

test('a source silent for a minute closes the door with 503, and opens it when it speaks again', async () => {
  const system = createSigner({ tenant: 'system', id: '' });
  const network = { down: false };
  const { revocations, state, handlers } = setUp({
    list: async ({ cursor }) => {
      if (network.down) throw new Error('down');
      return { revocations: [], scopes: [], cursor };
    },
  });
  const { verify } = createTokenVerifier({ appUrl, findKey: async () => system, revocations, clock: () => state.time });
  const token = makeToken(system, sessionClaims());
  await expect(verify(token)).rejects.toMatchObject({ kind: 'unavailable' });
  await revocations.start();
  await verify(token);
  network.down = true;
  handlers.reconnect();
  await later(5);
  state.time += 60_000;
  await verify(token);
  state.time += 1;
  await expect(verify(token)).rejects.toEqual(expect.objectContaining({ kind: 'unavailable', params: { service: 'revocations' } }));
  network.down = false;
  handlers.reconnect();
  await later(5);
  await verify(token);
  revocations.stop();
});

test('a notice is believed until its sources were pulled: a forged one ends there, a true one stays', async () => {
  const [truly, never] = [newId(), newId()];
  const known: Revocation[] = [];
  const { revocations, handlers, state } = setUp({
    list: async ({ cursor }) => ({ revocations: cursor === '' ? known : [], scopes: [], cursor: '' }),
  });
  await revocations.start();
  for (const value of [truly, never]) handlers.revocation({ ...entry('user', value), expiresAt: '9999-01-01T00:00:00.000Z' });
  expect([truly, never].map((sub) => revocations.isRevoked(claims({ sub }), 'k'))).toStrictEqual([true, true]);
  known.push(entry('user', truly));
  state.time += 1_000;
  handlers.reconnect();
  await later(5);
  expect([truly, never].map((sub) => revocations.isRevoked(claims({ sub }), 'k'))).toStrictEqual([true, false]);
  revocations.stop();
});

test('a notice refuses no token that is issued after it, and a flood of notices is bounded', async () => {
  const { revocations, handlers } = setUp();
  const kid = newId();
  handlers.revocation({ ...entry('kid', kid), before: '9999-01-01T00:00:00.000Z' });
  expect(revocations.isRevoked(claims(), kid)).toBe(true);
  expect(revocations.isRevoked(claims({ iat: seconds + 6 }), kid)).toBe(false);
  for (let count = 0; count < 10_001; count += 1) handlers.revocation(entry('jti', String(count)));
  expect(revocations.isRevoked(claims({ jti: '0' }), 'k')).toBe(false);
  expect(revocations.isRevoked(claims({ jti: '10000' }), 'k')).toBe(true);
});

test('a kind of revocation that is not known fails the pull, so that none is overlooked', async () => {
  const { revocations, handlers } = setUp({
    list: async () => ({ revocations: [{ ...entry('jti', newId()), kind: 'organization' }], scopes: [], cursor: '1' }),
  });
  void revocations.start();
  await later(20);
  expect(revocations.fresh).toBe(false);
  handlers.revocation({ ...entry('jti', 'x'), kind: 'organization' });
  expect(revocations.isRevoked(claims({ jti: 'x' }), 'k')).toBe(false);
  revocations.stop();
});

test('entries are forgotten once no such token can be alive', async () => {
  const { revocations, state, handlers } = setUp();
  const jti = newId();
  revocations.add(entry('jti', jti));
  await revocations.start();
  state.time += 900_001;
  handlers.reconnect();
  await later(5);
  expect(revocations.isRevoked(claims({ jti }), 'k')).toBe(false);
  revocations.stop();
});
