import { newId } from '@tessera/kernel/ids';
import { type Database, statement } from '@tessera/kernel/postgres';
import { touchApiKeys } from './api-keys.ts';

/** One successful exchange, for lastUsedAt and the audit log. */
export type Use = {
  readonly keyId: string;
  readonly userId: string;
  readonly scope: { readonly tenant: string; readonly id: string };
  readonly at: Date;
  readonly ipAddress: string;
  readonly userAgent: string;
  readonly requestId: string;
};

export type Usage = {
  note(use: Use): void;
  /** Resolves when everything noted before is written, or was tried. */
  flush(): Promise<void>;
  stop(): Promise<void>;
};

type Logger = { error(details: object, message: string): void };

// As JSON: one parameter for all rows, instead of an array for each column.
const insertAudits = statement(
  'keys_insert_exchange_audits',
  `INSERT INTO audit_log (id, at, operation, action, outcome, actor_id, actor_type, scope_tenant, scope_id, target_type, target_id, ip_address, user_agent, request_id)
   SELECT u.id, u.at, 'exchangeApiKey', 'apiKey.exchanged', 'ok', u."userId", 'anonymous', u.tenant, u."scopeId", 'ApiKey', u."keyId", u."ipAddress", u."userAgent", u."requestId"
   FROM json_to_recordset($1) AS u (id uuid, at timestamptz, "userId" uuid, tenant text, "scopeId" text, "keyId" text, "ipAddress" text, "userAgent" text, "requestId" text)`,
);
const mostWaiting = 20_000;

/** Gathers uses and writes them together, at most `everyMs` later: an exchange waits for no write of its own. */
export function createUsage(db: Database, logger: Logger, everyMs = 100): Usage {
  let waiting: Use[] = [];
  let writing: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  const writeSoon = (): void => {
    if (!isStopped) timer ??= setTimeout(flush, everyMs).unref();
  };

  async function write(): Promise<void> {
    const uses = waiting;
    if (uses.length === 0) return;
    waiting = [];
    try {
      await db.transaction(async (tx) => {
        const last = new Map(uses.map(({ keyId, at }) => [keyId, at]));
        await touchApiKeys(tx, new Map([...last].sort(([a], [b]) => (a < b ? -1 : 1))));
        await tx.execute(insertAudits, [auditRows(uses)]);
      });
    } catch (error) {
      logger.error({ err: error, uses: uses.length }, 'uses of API keys could not be written');
      // Tried again, but never without bound.
      waiting = [...uses, ...waiting].slice(-mostWaiting);
      writeSoon();
    }
  }

  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(write);
    return writing;
  };
  return {
    note(use) {
      waiting.push(use);
      writeSoon();
    },
    flush: () => (waiting.length === 0 ? writing : flush()),
    stop() {
      isStopped = true;
      return flush();
    },
  };
}

function auditRows(uses: readonly Use[]): string {
  return JSON.stringify(
    uses.map(({ keyId, userId, scope, at, ipAddress, userAgent, requestId }) => ({
      id: newId(),
      at,
      userId,
      tenant: scope.tenant,
      scopeId: scope.id,
      keyId,
      ipAddress,
      userAgent: userAgent.slice(0, 512),
      requestId,
    })),
  );
}
