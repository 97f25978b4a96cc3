/** What the benchmark and the measured rows say, in the model's words. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFolder } from '../stack/repository.ts';
import { type Figures, type Process, processes, type Request, type Sizes } from './model.ts';

/** The workload of `npm run bench` that stands for each kind of request. */
const workloads: Readonly<Record<Request, string>> = {
  register: 'journey: register',
  login: 'journey: login',
  refresh: 'journey: refresh',
  me: 'journey: GET /api/me',
  decision: 'REST is-authorized through the gateway',
  list: 'GraphQL join of two services',
  exchange: 'API-key exchange through the gateway',
};

type Row = {
  readonly workload: string;
  readonly cpuMsPerRequest?: Readonly<Record<string, number>>;
  readonly queriesPerRequest?: number;
};

/**
 * CPU of each process for one request. Where the bench's share of Postgres drowned in noise (it can
 * even be negative), it is its queries at the price of a query of `refresh`, which writes too.
 */
export function figuresOf(results: readonly Row[]): Figures {
  const find = (request: Request): Row & { readonly cpuMsPerRequest: Readonly<Record<string, number>> } => {
    const row = results.find(({ workload }) => workload === workloads[request]);
    if (row?.cpuMsPerRequest === undefined) throw new Error(`The bench has no CPU of "${workloads[request]}": run it whole.`);
    return { ...row, cpuMsPerRequest: row.cpuMsPerRequest };
  };
  const refresh = find('refresh');
  const msPerQuery = (refresh.cpuMsPerRequest['postgres'] ?? 0) / (refresh.queriesPerRequest ?? 1);
  const costs = (request: Request) => {
    const { cpuMsPerRequest, queriesPerRequest = 0 } = find(request);
    const measured = (process: Process) => Math.max(0, cpuMsPerRequest[process] ?? 0);
    const each = Object.fromEntries(processes.map((process) => [process, measured(process)])) as Record<Process, number>;
    return each.postgres > 0 ? each : { ...each, postgres: queriesPerRequest * msPerQuery };
  };
  return Object.fromEntries(Object.keys(workloads).map((request) => [request, costs(request as Request)])) as Figures;
}

function read<Content>(...path: readonly string[]): Content {
  return JSON.parse(readFileSync(join(repositoryFolder, ...path), 'utf8')) as Content;
}

export function readFigures(): { readonly at: string; readonly figures: Figures } {
  const { at, results } = read<{ readonly at: string; readonly results: readonly Row[] }>('test/deep/load/results/latest.json');
  return { at, figures: figuresOf(results) };
}

export function readSizes(): Sizes {
  return read<Sizes>('tools/cells/sizes.json');
}
