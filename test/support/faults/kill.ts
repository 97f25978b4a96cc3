import pg from 'pg';
import type { DatabaseService } from '../../../tools/services.ts';
import type { Stack } from '../../../tools/stack/stack.ts';

/** How many transactions of a saga write in some service's table. */
type Touched = { readonly service: DatabaseService; readonly table: string; readonly transactions: number };

/** The nth transaction that writes to a table, before that write or before its commit. */
export type Step = {
  readonly service: DatabaseService;
  readonly table: string;
  readonly nth: number;
  readonly when: 'write' | 'commit';
};

export function stepName({ service, table, nth, when }: Step): string {
  return `${service}.${table}${nth === 1 ? '' : ` for the ${nth}. time`} ${when === 'write' ? 'written' : 'committed'}`;
}

/** Kills a process at one exact step: the transaction sleeps there, so timing does not matter. */
export class Killer {
  readonly #client: pg.Pool;
  readonly #stack: Stack;

  private constructor(stack: Stack, client: pg.Pool) {
    this.#stack = stack;
    this.#client = client;
  }

  static async open(stack: Stack): Promise<Killer> {
    const client = new pg.Pool({ connectionString: stack.adminDatabaseUrl, max: 2 });
    client.on('error', () => undefined);
    await client.query(`DROP SCHEMA IF EXISTS faults CASCADE; CREATE SCHEMA faults; GRANT USAGE ON SCHEMA faults TO PUBLIC;
      CREATE TABLE faults.written (at text, transaction xid8);
      CREATE SEQUENCE faults.passed;
      CREATE FUNCTION faults.note() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = faults AS
        'BEGIN INSERT INTO faults.written VALUES (TG_TABLE_SCHEMA || ''.'' || TG_TABLE_NAME, pg_current_xact_id()); RETURN NULL; END';
      CREATE FUNCTION faults.sleep() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = faults AS 'BEGIN
        IF current_setting(''faults.is_counted'', true) IS DISTINCT FROM ''yes'' THEN
          PERFORM set_config(''faults.is_counted'', ''yes'', true);
          IF nextval(''faults.passed'') = TG_ARGV[0]::bigint THEN PERFORM pg_catalog.pg_sleep(60); END IF;
        END IF;
        RETURN coalesce(NEW, OLD); END'`);
    return new Killer(stack, client);
  }

  async query<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.#client.query(text, values)).rows;
  }

  /** The tables that `run` and what follows from it write, in every service. */
  async tablesOf(run: () => Promise<unknown>, settled: () => Promise<void>): Promise<readonly Touched[]> {
    const tables = await this.query<{ at: string }>(
      `SELECT schemaname || '.' || relname AS at FROM pg_stat_user_tables WHERE schemaname IN ('identity', 'tenancy', 'rbac', 'keys') ORDER BY 1`,
    );
    const onAll = (text: (at: string) => string) => this.#client.query(tables.map(({ at }) => text(at)).join(';'));
    await this.#client.query('TRUNCATE faults.written');
    await onAll((at) => `CREATE TRIGGER faults_note AFTER INSERT OR UPDATE OR DELETE ON ${at} FOR EACH ROW EXECUTE FUNCTION faults.note()`);
    await run();
    await settled();
    await onAll((at) => `DROP TRIGGER faults_note ON ${at}`);
    const written = await this.query<{ at: string; transactions: number }>(
      'SELECT at, count(DISTINCT transaction)::int AS transactions FROM faults.written GROUP BY at ORDER BY 1',
    );
    return written.map(({ at, transactions }) => {
      const [service = '', table = ''] = at.split('.');
      return { service: service as DatabaseService, table, transactions };
    });
  }

  /** Runs the change, kills the process at the step and restarts it. False if none reached it. */
  async killAt({ service, table, nth, when }: Step, run: () => Promise<unknown>, settled: () => Promise<void>): Promise<boolean> {
    const at = `${service}.${table}`;
    await this.#client.query('ALTER SEQUENCE faults.passed RESTART');
    await this.#client.query(
      when === 'write'
        ? `CREATE TRIGGER faults_stop BEFORE INSERT OR UPDATE OR DELETE ON ${at} FOR EACH ROW EXECUTE FUNCTION faults.sleep(${nth})`
        : `CREATE CONSTRAINT TRIGGER faults_stop AFTER INSERT OR UPDATE OR DELETE ON ${at} DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION faults.sleep(${nth})`,
    );
    let isOver = false;
    const change = run()
      .catch(() => undefined)
      .then(settled)
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
    for (;;) {
      const [found] = await this.query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database() AND pid <> pg_backend_pid()`,
      );
      if (found) return found.pid;
      if (isOver()) return undefined;
      await new Promise((done) => setTimeout(done, 10));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.end();
  }
}
