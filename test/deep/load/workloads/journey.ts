import { randomUUID } from 'node:crypto';
import { credentials, data } from '../../../support/load/tenant.ts';
import { queriesOf } from '../../../support/statements.ts';
import type { Bench } from '../bench.ts';
import type { Shot } from '../drive.ts';
import { httpShot } from '../http.ts';
import type { Side } from '../race.ts';
import type { Result } from '../report.ts';
import { observe, type Workload } from '../workload.ts';

export const journey: Workload = {
  name: 'journey',
  about: 'register, login, me, refresh and sessions through the gateway',
  run: async (bench) => {
    const { stack, tenant } = bench;
    const headers = { authorization: `Bearer ${tenant.owner.token}`, 'user-agent': 'bench' };
    using me = httpShot({ origin: stack.url, path: '/api/me', headers });
    using sessions = httpShot({ origin: stack.url, path: '/api/me/sessions', headers });
    return [
      await step(bench, 'register', { shot: register(bench), concurrency: 16 }),
      await step(bench, 'login', { shot: login(bench), concurrency: 16 }),
      await step(bench, 'GET /api/me', { shot: me.shot, concurrency: 64 }),
      await step(bench, 'refresh', { shot: refresh(await people(bench, 32)), concurrency: 32 }),
      await step(bench, 'GET /api/me/sessions', { shot: sessions.shot, concurrency: 64 }),
    ];
  },
};

async function step(bench: Bench, name: string, side: Pick<Side, 'shot' | 'concurrency'>): Promise<Result> {
  const queriesPerRequest = await queriesOf(bench.stack, side.shot);
  const processes = bench.processes('gateway', 'identity', 'tenancy', 'rbac', 'keys', 'postgres');
  // Nothing is promised of it: in a quick run one look will do.
  const pace = bench.isQuick ? { ...bench.pace, rounds: 1 } : bench.pace;
  return observe(pace, `journey: ${name}`, { name, ...side, processes }, { queriesPerRequest });
}

function newcomer() {
  return `${randomUUID()}@example.com`;
}

function register({ tenant }: Bench): Shot {
  return async () => {
    data(await tenant.client.post('/api/auth/register', { name: 'Ada', ...credentials(newcomer()) }));
  };
}

function login({ tenant }: Bench): Shot {
  return async () => {
    data(
      await tenant.client.call('POST', '/api/auth/login', {
        body: credentials(tenant.owner.email),
        headers: { 'user-agent': randomUUID() },
      }),
    );
  };
}

type Session = { refreshToken: string; readonly renew: (refreshToken: string) => Promise<string> };

function people({ tenant }: Bench, count: number): Promise<Session[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const { refreshToken } = data(await tenant.client.post('/api/auth/register', { name: 'Ada', ...credentials(newcomer()) }));
      const renew = async (spent: string): Promise<string> =>
        data(await tenant.client.post('/api/auth/refresh', { refreshToken: spent })).refreshToken;
      return { refreshToken, renew };
    }),
  );
}

/** Each session is refreshed by one at a time, as one device does it. */
function refresh(sessions: Session[]): Shot {
  return async () => {
    const session = sessions.pop();
    if (session === undefined) throw new Error('more callers than sessions');
    try {
      session.refreshToken = await session.renew(session.refreshToken);
    } finally {
      sessions.unshift(session);
    }
  };
}
