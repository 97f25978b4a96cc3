import type { Dispatcher } from 'undici';
import { type Replica, serviceNames, type Upstreams } from '../proxy/upstream.ts';

export type Check = { readonly status: 'ok' | 'unavailable' };
export type Readiness = { readonly status: 'ok' | 'unavailable'; readonly checks: Readonly<Record<string, Check>> };

/** How long an answer is given again: many askers cost one look. */
const freshMs = 1_000;
const patienceMs = 2_000;

/** Whether everything that the gateway needs answers: each service (one replica suffices) and each store. */
export const createReadiness = (
  upstreams: Upstreams,
  stores: Readonly<Record<string, () => Promise<boolean> | boolean>>,
): (() => Promise<Readiness>) => {
  let latest: { readonly at: number; readonly answer: Promise<Readiness> } | undefined;
  const look = async (): Promise<Readiness> => {
    const asked = [
      ...serviceNames.map(async (name) => [name, await isAnyReady(upstreams[name].replicas)] as const),
      ...Object.entries(stores).map(async ([name, isUp]) => [name, await askStore(isUp)] as const),
    ];
    const checks = (await Promise.all(asked)).map(([name, isUp]): [string, Check] => [name, { status: isUp ? 'ok' : 'unavailable' }]);
    const isReady = checks.every(([, { status }]) => status === 'ok');
    return { status: isReady ? 'ok' : 'unavailable', checks: Object.fromEntries(checks) };
  };
  return () => {
    const now = performance.now();
    if (latest === undefined || now - latest.at > freshMs) latest = { at: now, answer: look() };
    return latest.answer;
  };
};

const askStore = async (isUp: () => Promise<boolean> | boolean): Promise<boolean> => {
  try {
    return await isUp();
  } catch {
    return false;
  }
};

const isAnyReady = async (replicas: readonly Replica[]): Promise<boolean> =>
  (await Promise.all(replicas.map(({ dispatcher }) => isReady(dispatcher)))).some(Boolean);

const isReady = async (dispatcher: Dispatcher): Promise<boolean> => {
  try {
    const { statusCode, body } = await dispatcher.request({ path: '/ready', method: 'GET', signal: AbortSignal.timeout(patienceMs) });
    await body.dump();
    return statusCode === 200;
  } catch {
    return false;
  }
};
