import type { Workload } from '../workload.ts';
import { proxy } from './proxy.ts';

/** In the order of a run. */
export const workloads: readonly Workload[] = [proxy];
