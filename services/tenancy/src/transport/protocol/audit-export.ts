/** GET /api/audit-events/export: a file, streamed page by page, and therefore no operation. */
import { Readable } from 'node:stream';
import { failures, reasons } from '@tessera/kernel/errors';
import { type Runtime, run } from '@tessera/kernel/operation';
import { effectsOn, factsOf, readQuery } from '@tessera/server/rest';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AuditEventRecord } from '../../audit/event.ts';
import type { TenancyDeps } from '../../deps.ts';
import { listAuditEvents, type Reading } from '../../operations/audit-events/list-audit-events.ts';

export const exportPath = '/api/audit-events/export';
const rowsAtOnce = 100;

type Page = { readonly items: readonly AuditEventRecord[]; readonly nextCursor: string | null };
type Format = { readonly type: string; readonly head: string; readonly line: (event: AuditEventRecord) => string };

/** A spreadsheet would run a text that begins like a formula. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `"${(/^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
}

const columns: Readonly<Record<string, (event: AuditEventRecord) => unknown>> = {
  id: ({ id }) => id,
  at: ({ at }) => at,
  action: ({ action }) => action,
  outcome: ({ outcome }) => outcome,
  reason: ({ reason }) => reason,
  actorType: ({ actor }) => actor.type,
  actorId: ({ actor }) => actor.id,
  actorName: ({ actor }) => actor.name,
  keyId: ({ actor }) => actor.keyId,
  appId: ({ actor }) => actor.appId,
  credentialId: ({ actor }) => actor.credentialId,
  scopeTenant: ({ scope }) => scope?.tenant,
  scopeId: ({ scope }) => scope?.id,
  targetType: ({ target }) => target.type,
  targetId: ({ target }) => target.id,
  targetName: ({ target }) => target.name,
  changes: ({ changes }) => changes,
  detail: ({ detail }) => detail,
  ipAddress: ({ ipAddress }) => ipAddress,
  userAgent: ({ userAgent }) => userAgent,
  requestId: ({ requestId }) => requestId,
  hash: ({ hash }) => hash,
};

const formats: Readonly<Record<string, Format>> = {
  csv: {
    type: 'text/csv; charset=utf-8; header=present',
    head: `${Object.keys(columns).join(',')}\r\n`,
    line: (event) =>
      `${Object.values(columns)
        .map((read) => cell(read(event)))
        .join(',')}\r\n`,
  },
  ndjson: { type: 'application/x-ndjson; charset=utf-8', head: '', line: (event) => `${JSON.stringify(event)}\n` },
};

/** Who may read the log on a page need not be let take all of it along. */
const exportAuditEvents: typeof listAuditEvents = {
  ...listAuditEvents,
  access: { permission: 'AuditEvent:Export' },
  prepare: async (): Promise<Reading> => ({ forExport: true }),
};

/** Each page is a run of the list: the rights are checked again, and one page is in memory. */
export function serveAuditExport(app: FastifyInstance, runtime: Runtime<TenancyDeps>): void {
  async function pageOf(request: FastifyRequest, reply: FastifyReply, cursor: string | undefined): Promise<Page> {
    const asked = () => {
      const { format: _, ...input } = readQuery(listAuditEvents.input, request.query);
      if (input['limit'] !== undefined) throw failures.validation('limit', reasons.unknownInQuery);
      return { ...input, limit: rowsAtOnce, ...(cursor === undefined ? {} : { cursor }) };
    };
    const { output } = await run(runtime, exportAuditEvents, asked, factsOf(request, 'rest'), effectsOn(reply));
    // The pipeline has projected the output by the operation's schema.
    return output as Page;
  }

  async function* linesOf(first: Page, { head, line }: Format, next: (cursor: string) => Promise<Page>) {
    yield head;
    for (let page = first; ; page = await next(page.nextCursor)) {
      yield page.items.map(line).join('');
      if (page.nextCursor === null) return;
    }
  }

  app.route<{ Querystring: { format?: unknown } }>({
    method: 'GET',
    url: exportPath,
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      const first = await pageOf(request, reply, undefined);
      const { format: name = 'csv' } = request.query;
      const format = typeof name === 'string' && Object.hasOwn(formats, name) ? formats[name] : undefined;
      if (format === undefined) throw failures.validation('format', reasons.oneOf(Object.keys(formats)));
      void reply.header('content-disposition', `attachment; filename="audit-events.${String(name)}"`).type(format.type);
      const lines = linesOf(first, format, (cursor) => pageOf(request, reply, cursor));
      return reply.send(Readable.from(lines, { objectMode: false, highWaterMark: 64 * 1024 }));
    },
  });
}
