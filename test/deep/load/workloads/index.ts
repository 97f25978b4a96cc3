import type { Workload } from '../workload.ts';
import { agents } from './agents.ts';
import { auditLog } from './audit-log.ts';
import { decisions } from './decisions.ts';
import { exchange } from './exchange.ts';
import { grants } from './grants.ts';
import { graphql } from './graphql.ts';
import { growth } from './growth.ts';
import { imports } from './import.ts';
import { isAuthorized } from './is-authorized.ts';
import { journey } from './journey.ts';
import { jwks } from './jwks.ts';
import { logins } from './logins.ts';
import { members } from './members.ts';
import { openid } from './openid.ts';
import { proxy } from './proxy.ts';
import { readsWorkload } from './reads.ts';
import { replicas } from './replicas.ts';
import { secondFactors } from './second-factors.ts';
import { timing } from './timing.ts';
import { usable } from './usable.ts';
import { whoMay } from './who-may.ts';

/** In the order of a run: small databases first, and failed sign-ins warm up the login. */
export const workloads: readonly Workload[] = [
  readsWorkload,
  proxy,
  graphql,
  jwks,
  isAuthorized,
  decisions,
  exchange,
  journey,
  timing,
  secondFactors,
  logins,
  members,
  whoMay,
  usable,
  imports,
  growth,
  grants,
  agents,
  auditLog,
  openid,
  replicas,
];
