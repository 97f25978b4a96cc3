import { fetchWhole } from '../proxy/fetch.ts';
import { type Replica, serviceNames, type Upstreams } from '../proxy/upstream.ts';

/** The same shape as the /ready of the services. */
export type Readiness = { readonly status: 'ready' | 'not ready'; readonly checks: Readonly<Record<string, 'ok' | 'failed'>> };

/** The result is cached for so long: many probes cost one check. */
const freshMs = 1_000;
const timeoutMs = 2_000;

/**
 * Ready if one replica of every service is ready. Redis is not needed: without it the limits count
 * in process.
 */
export function createReadiness(upstreams: Upstreams): () => Promise<Readiness> {
  let latest: { readonly at: number; readonly result: Promise<Readiness> } | undefined;
  const check = async (): Promise<Readiness> => {
    const checking = serviceNames.map(async (name) => [name, await isAnyReady(upstreams[name].replicas)] as const);
    const checks = await Promise.all(checking);
    return {
      status: checks.every(([, isUp]) => isUp) ? 'ready' : 'not ready',
      checks: Object.fromEntries(checks.map(([name, isUp]) => [name, isUp ? 'ok' : 'failed'])),
    };
  };
  return () => {
    const now = performance.now();
    if (latest === undefined || now - latest.at > freshMs) latest = { at: now, result: check() };
    return latest.result;
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
