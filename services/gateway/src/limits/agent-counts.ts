/**
 * What apps ask for people, counted in memory and told to identity in batches: no request waits
 * for it, and what is lost is a count.
 */
import type { GrpcClient } from '@tessera/kernel/grpc';
import type { EdgeContext } from '../edge/context.ts';
import type { Agent, Callers } from './caller.ts';

type Report = Parameters<GrpcClient<'identity.v1.Identity'>['countAgentRequests']>[0];
type AgentCountOptions = {
  readonly callers: Pick<Callers, 'agentOf'>;
  readonly send: (report: Report) => Promise<unknown>;
  readonly logger: { warn(details: object, message: string): void };
  readonly everyMs?: number;
  readonly mostKeys?: number;
};

export type AgentCounts = {
  /** Of an answer over REST, GraphQL or gRPC. */
  answered(edge: Pick<EdgeContext, 'isRefused'>, authorization: string, status: number): void;
  /** Tells identity for the last time. */
  stop(): Promise<void>;
  /** Since the start, for the metrics. */
  readonly totals: Readonly<Record<'allowed' | 'refused' | 'limited' | 'untold', number>>;
};

type Count = { readonly agent: Agent; requests: number; refused: number };

/** As many as identity takes in one call. */
const mostInReport = 500;

export function createAgentCounts({ callers, send, logger, everyMs = 10_000, mostKeys = 20_000 }: AgentCountOptions): AgentCounts {
  const totals = { allowed: 0, refused: 0, limited: 0, untold: 0 };
  let counts = new Map<string, Count>();
  const add = (agent: Agent, status: number, isRefused: boolean): void => {
    totals[status === 429 ? 'limited' : isRefused ? 'refused' : 'allowed'] += 1;
    const key = `${agent.placeId} ${agent.keyOfPerson}`;
    const count = counts.get(key) ?? { agent, requests: 0, refused: 0 };
    if (count.requests === 0) {
      if (counts.size >= mostKeys) {
        totals.untold += 1;
        return;
      }
      counts.set(key, count);
    }
    count.requests += 1;
    if (isRefused) count.refused += 1;
  };
  const takeReports = (): Report[] => {
    const taken = [...counts.values()];
    counts = new Map();
    return Array.from({ length: Math.ceil(taken.length / mostInReport) }, (_, index) => ({
      counts: taken
        .slice(index * mostInReport, (index + 1) * mostInReport)
        .map(({ agent: { clientId, userId, placeId }, requests, refused }) => ({ clientId, userId, placeId, requests, refused })),
    }));
  };
  /** While identity is away, one call fails for each flush, and all that it held is untold. */
  const flush = async (): Promise<void> => {
    const reports = takeReports();
    let sent = 0;
    try {
      for (const report of reports) {
        await send(report);
        sent += 1;
      }
    } catch (error) {
      totals.untold += reports
        .slice(sent)
        .flatMap((report) => report.counts)
        .reduce((sum, { requests }) => sum + requests, 0);
      logger.warn({ err: error }, 'identity has not heard what agents asked');
    }
  };
  let isFlushing = false;
  const timer = setInterval(() => {
    if (isFlushing) return;
    isFlushing = true;
    void flush().finally(() => {
      isFlushing = false;
    });
  }, everyMs).unref();
  return {
    totals,
    answered: (edge, authorization, status) => {
      const isRefused = status === 401 || status === 403 || status === 429 || edge.isRefused === true;
      // A flood over a limit, or of forged tokens, costs no signature more.
      const agent = callers.agentOf(authorization, { mayVerify: status !== 429 && status !== 401 });
      if (agent instanceof Promise) void agent.then((known) => known && add(known, status, isRefused));
      else if (agent !== undefined) add(agent, status, isRefused);
    },
    stop: async () => {
      clearInterval(timer);
      await flush();
    },
  };
}
