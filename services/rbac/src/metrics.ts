import type { Metrics } from '@tessera/kernel/telemetry';
import type { Decider } from './decisions/decider.ts';
import type { RightsCache } from './storage/rights-cache.ts';

type Watched = {
  readonly rights: Pick<RightsCache, 'lookups' | 'size' | 'tenants'>;
  readonly decider: Pick<Decider, 'given'>;
  readonly applications: { readonly asked: Readonly<Record<string, number>> };
};

/** The metrics of rbac. They are plain counters, read only when the metrics endpoint is. */
export function watchDecisions(metrics: Metrics, { rights, decider, applications }: Watched): void {
  const decisions = { name: 'rbac_decisions_total', help: 'Decisions by their reason', label: 'reason' };
  metrics.watch({ type: 'counter', ...decisions }, () => decider.given);
  const asked = { name: 'rbac_application_checks_total', help: 'Checks of applications, by how they named the subject', label: 'by' };
  metrics.watch({ type: 'counter', ...asked }, () => applications.asked);
  const lookups = { name: 'rbac_rights_lookups_total', help: 'Compiled rights found in memory, or read', label: 'result' };
  metrics.watch({ type: 'counter', ...lookups }, () => ({ hit: rights.lookups.hits, miss: rights.lookups.misses }));
  const kept = { name: 'rbac_rights_kept', help: 'Compiled sets of rights in memory, and their tenants', label: 'what' };
  metrics.watch({ type: 'gauge', ...kept }, () => ({ sets: rights.size, tenants: rights.tenants }));
}
