import pg from 'pg';
import type { DatabaseService } from '../../tools/stack/services.ts';
import type { Stack } from '../../tools/stack/stack.ts';

/** A step of a saga: a row about to be written in some service's table, or about to be committed with all that was written before. */
export type Step = { readonly service: DatabaseService; readonly table: string; readonly when: 'write' | 'commit' };

export const stepName = ({ service, table, when }: Step): string => `${service}.${table} ${when === 'write' ? 'written' : 'committed'}`;

/**
 * Stops the world at one step: the first transaction that reaches it sleeps there, and its process is killed in its sleep. So the kill
 * falls between two steps by construction, and not by chance.
 */
export class Killer {
  readonly #client: pg.Client;
  readonly #stack: Stack;

  private constructor(stack: Stack, client: pg.Client) {
    this.#stack = stack;
    this.#client = client;
  }

  static async open(stack: Stack): Promise<Killer> {
    const client = new pg.Client({ connectionString: stack.adminDatabaseUrl });
    await client.connect();
    await client.query(`CREATE SCHEMA faults; GRANT USAGE ON SCHEMA faults TO PUBLIC;
      CREATE TABLE faults.written (at text);
      CREATE FUNCTION faults.note() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = faults AS
        'BEGIN INSERT INTO faults.written VALUES (TG_TABLE_SCHEMA || ''.'' || TG_TABLE_NAME); RETURN NULL; END';
      CREATE FUNCTION faults.sleep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_catalog.pg_sleep(60); RETURN coalesce(NEW, OLD); END'`);
    return new Killer(stack, client);
  }

  async query<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.#client.query(text, values)).rows;
  }

  /** The tables that `run` and what follows from it write, in every service. */
  async tablesOf(run: () => Promise<unknown>, settled: () => Promise<void>): Promise<readonly Omit<Step, 'when'>[]> {
    const tables = await this.query<{ at: string }>(
      `SELECT schemaname || '.' || relname AS at FROM pg_stat_user_tables WHERE schemaname IN ('identity', 'tenancy', 'rbac', 'keys') ORDER BY 1`,
    );
    const onAll = (text: (at: string) => string) => this.#client.query(tables.map(({ at }) => text(at)).join(';'));
    await this.#client.query('TRUNCATE faults.written');
    await onAll((at) => `CREATE TRIGGER faults_note AFTER INSERT OR UPDATE OR DELETE ON ${at} FOR EACH ROW EXECUTE FUNCTION faults.note()`);
    await run();
    await settled();
    await onAll((at) => `DROP TRIGGER faults_note ON ${at}`);
    const written = await this.query<{ at: string }>('SELECT DISTINCT at FROM faults.written ORDER BY 1');
    return written.map(({ at }) => {
      const [service = '', table = ''] = at.split('.');
      return { service: service as DatabaseService, table };
    });
  }

  /** Runs the change, kills the process that reaches the step, and starts it again. False when nobody reached it. */
  async killAt({ service, table, when }: Step, run: () => Promise<unknown>): Promise<boolean> {
    const at = `${service}.${table}`;
    await this.#client.query(
      when === 'write'
        ? `CREATE TRIGGER faults_stop BEFORE INSERT OR UPDATE OR DELETE ON ${at} FOR EACH ROW EXECUTE FUNCTION faults.sleep()`
        : `CREATE CONSTRAINT TRIGGER faults_stop AFTER INSERT OR UPDATE OR DELETE ON ${at} DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION faults.sleep()`,
    );
    let isOver = false;
    const change = run()
      .catch(() => undefined)
      .finally(() => {
        isOver = true;
      });
    const sleeper = await this.#sleeper(() => isOver);
    const process = this.#stack.processes[service];
    if (sleeper !== undefined) await process?.kill('SIGKILL');
    await this.#client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND pid <> pg_backend_pid()`,
    );
    await this.#client.query(`DROP TRIGGER IF EXISTS faults_stop ON ${at}`);
    if (sleeper !== undefined) await process?.start();
    await change;
    return sleeper !== undefined;
  }

  async #sleeper(isOver: () => boolean): Promise<number | undefined> {
    for (let tries = 0; tries < 300; tries += 1) {
      const [found] = await this.query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database() AND pid <> pg_backend_pid()`,
      );
      if (found) return found.pid;
      if (isOver()) return undefined;
      await new Promise((done) => setTimeout(done, 10));
    }
    return undefined;
  }

  async close(): Promise<void> {
    await this.#client.end();
  }
}
