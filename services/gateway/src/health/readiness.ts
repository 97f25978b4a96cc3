import { fetchWhole } from '../proxy/fetch.ts';
import { type Replica, serviceNames, type Upstreams } from '../proxy/upstream.ts';

/** In the words of the services' own /ready. */
export type Readiness = { readonly status: 'ready' | 'not ready'; readonly checks: Readonly<Record<string, 'ok' | 'failed'>> };

/** How long an answer is given again: many askers cost one look. */
const freshMs = 1_000;
const timeoutMs = 2_000;

/** Whether every service that the gateway needs answers; of several replicas one suffices. Without Redis it counts by itself: no store is needed. */
export function createReadiness(upstreams: Upstreams): () => Promise<Readiness> {
  let latest: { readonly at: number; readonly answer: Promise<Readiness> } | undefined;
  const look = async (): Promise<Readiness> => {
    const asked = serviceNames.map(async (name) => [name, await isAnyReady(upstreams[name].replicas)] as const);
    const checks = await Promise.all(asked);
    return {
      status: checks.every(([, isUp]) => isUp) ? 'ready' : 'not ready',
      checks: Object.fromEntries(checks.map(([name, isUp]) => [name, isUp ? 'ok' : 'failed'])),
    };
  };
  return () => {
    const now = performance.now();
    if (latest === undefined || now - latest.at > freshMs) latest = { at: now, answer: look() };
    return latest.answer;
  };
}

async function isAnyReady(replicas: readonly Replica[]): Promise<boolean> {
  return (await Promise.all(replicas.map(isReady))).some(Boolean);
}

async function isReady({ control }: Replica): Promise<boolean> {
  try {
    const { status } = await fetchWhole(control, { path: '/ready', method: 'GET', headers: [], body: null, timeoutMs });
    return status === 200;
  } catch {
    return false;
  }
}
