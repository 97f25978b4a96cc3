import type { Workload } from '../workload.ts';
import { decisions } from './decisions.ts';
import { isAuthorized } from './is-authorized.ts';
import { jwks } from './jwks.ts';
import { proxy } from './proxy.ts';
import { timing } from './timing.ts';

/** In the order of a run. */
export const workloads: readonly Workload[] = [proxy, jwks, isAuthorized, decisions, timing];
