/** What was acknowledged, to be compared with what the databases have afterwards. */
import { withClient } from '../../../../tools/postgres/bootstrap.ts';

const kinds = {
  tag: {
    schema: 'rbac',
    find: `SELECT t.id, t.name FROM rbac.tags t JOIN rbac.organization_tags o ON o.tag_id = t.id WHERE t.deleted_at IS NULL`,
  },
  project: { schema: 'tenancy', find: 'SELECT p.id, p.name FROM tenancy.projects p WHERE p.deleted_at IS NULL' },
  key: { schema: 'keys', find: 'SELECT k.id, k.name FROM keys.placed_api_keys k WHERE k.deleted_at IS NULL AND k.revoked_at IS NULL' },
  person: { schema: 'identity', find: 'SELECT u.id, u.name FROM identity.users u WHERE u.deleted_at IS NULL' },
} as const;
export type Kind = keyof typeof kinds;

export type Entry = {
  readonly kind: Kind;
  readonly id: string;
  /** The last acknowledged name; undefined: it was deleted. Then what may have been kept since. */
  possible: readonly (string | undefined)[];
  /** How many of its writes were acknowledged. */
  acknowledged: number;
};

type Row = { readonly id: string; readonly name: string };

export class Ledger {
  readonly #entries = new Map<string, Entry>();

  get size(): number {
    return this.#entries.size;
  }

  /** A thing whose creation was acknowledged. */
  note(kind: Kind, id: string, name: string): Entry {
    const entry: Entry = { kind, id, possible: [name], acknowledged: 1 };
    this.#entries.set(id, entry);
    return entry;
  }

  /** A thing from before: it has any name until a change of it is acknowledged. */
  of(kind: Kind, id: string): Entry {
    const entry = this.#entries.get(id) ?? { kind, id, possible: [], acknowledged: 0 };
    this.#entries.set(id, entry);
    return entry;
  }

  /** After an acknowledged change only that counts; one that failed may have been kept or not. */
  async change(entry: Entry, name: string | undefined, change: () => Promise<unknown>): Promise<void> {
    const before = entry.possible;
    if (before.length > 0) entry.possible = [...before, name];
    await change();
    entry.possible = [name];
    entry.acknowledged += 1;
  }

  /** What was acknowledged and is not there, one line each: none when nothing was lost. */
  async compare(adminUrl: string): Promise<readonly string[]> {
    const known = [...this.#entries.values()].filter(({ possible }) => possible.length > 0);
    return withClient(adminUrl, async (client) => {
      const faults = Object.entries(kinds).map(async ([kind, { schema, find }]) => {
        const entries = known.filter((entry) => entry.kind === kind);
        const ids = [entries.map(({ id }) => id)];
        const { rows } = await client.query<Row>(`SELECT * FROM (${find}) AS kept WHERE id = ANY ($1)`, ids);
        const { rows: audited } = await client.query<{ id: string; count: string }>(
          `SELECT target_id AS id, count(*) FROM ${schema}.audit_log WHERE outcome = 'ok' AND target_id = ANY ($1) GROUP BY 1`,
          ids,
        );
        const { rows: doubled } = await client.query<Row>(
          `SELECT min(id::text) AS id, name FROM (${find}) AS kept WHERE name ~ '^[0-9a-f-]{36}$' GROUP BY name HAVING count(*) > 1`,
        );
        const kept = new Map(rows.map(({ id, name }) => [id, name]));
        const writes = new Map(audited.map(({ id, count }) => [id, Number(count)]));
        return [
          ...entries.filter(({ id, possible }) => !possible.includes(kept.get(id))).map((entry) => lostLine(entry, kept.get(entry.id))),
          ...entries
            .filter(({ id, acknowledged }) => (writes.get(id) ?? 0) < acknowledged)
            .map(({ id, acknowledged }) => `${kind} ${id}: ${acknowledged} writes acknowledged, ${writes.get(id) ?? 0} in the audit log`),
          ...doubled.map(({ id, name }) => `${kind} ${id}: made twice from one request (${name})`),
        ];
      });
      return (await Promise.all(faults)).flat();
    });
  }
}

function lostLine({ kind, id, possible }: Entry, kept: string | undefined): string {
  const expected = possible.map((name) => name ?? 'nothing').join(' or ');
  return `${kind} ${id}: acknowledged ${expected}, kept ${kept ?? 'nothing'}`;
}
