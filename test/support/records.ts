/** What the four services have written of a request, read past every service. */
import pg from 'pg';
import type { SystemStack } from './shared-stack.ts';

export type AuditRow = {
  readonly service: string;
  readonly operation: string;
  readonly action: string;
  readonly outcome: string;
  readonly code: string | null;
  readonly actor_id: string | null;
  readonly actor_type: string;
  readonly scope_tenant: string | null;
  readonly scope_id: string | null;
  readonly target_type: string | null;
  readonly target_id: string | null;
  readonly ip_address: string;
  readonly user_agent: string;
  readonly changes: readonly { readonly field: string; readonly before: unknown; readonly after: unknown }[] | null;
  readonly detail: Readonly<Record<string, unknown>>;
};

const services = ['identity', 'tenancy', 'rbac', 'keys'];
const columns = `operation, action, outcome, code, actor_id, actor_type, scope_tenant, scope_id, target_type, target_id, ip_address, user_agent,
  changes, detail, request_id`;

export async function openAuditReader({ adminDatabaseUrl }: SystemStack) {
  const client = new pg.Client({ connectionString: adminDatabaseUrl });
  await client.connect();
  const all = services.map((service) => `SELECT '${service}' AS service, at, id, ${columns} FROM ${service}.audit_log`).join(' UNION ALL ');
  return {
    client,
    /** The rows of a request, oldest first. */
    async of(requestId: string): Promise<readonly AuditRow[]> {
      const { rows } = await client.query<AuditRow>(`SELECT * FROM (${all}) AS every_service WHERE request_id = $1 ORDER BY at, id`, [
        requestId,
      ]);
      return rows;
    },
    /** Whether an anonymous operation has a record of the minute before, or a later one. */
    async isCounted(operation: string, at: Date): Promise<boolean> {
      const { rows } = await client.query(
        `SELECT FROM (${all}) AS every_service WHERE operation = $1 AND actor_id IS NULL AND outcome = 'ok' AND at >= $2`,
        [operation, new Date(at.getTime() - 60_000)],
      );
      return rows.length > 0;
    },
    /** What a person did by one operation. */
    async by(actorId: string, operation: string): Promise<readonly AuditRow[]> {
      const { rows } = await client.query<AuditRow>(
        `SELECT * FROM (${all}) AS every_service WHERE actor_id = $1 AND operation = $2 ORDER BY at, id`,
        [actorId, operation],
      );
      return rows;
    },
    close: () => client.end(),
  };
}
