/**
 * The requests of SCIM, kept for the person who connects a directory. They are noted in memory and
 * written together soon after, so that no request waits for the log or fails by it.
 */
import { newId } from '@tessera/kernel/ids';
import type { Database } from '@tessera/kernel/postgres';
import { parseScope } from '@tessera/kernel/scope';
import { cutText, outlineBody, outlineFilter } from './domain/scim/outline.ts';
import {
  insertDirectoryRequests,
  mostDirectoryRequests,
  type NewDirectoryRequest,
  pruneDirectoryRequests,
} from './storage/directory-requests.ts';

export type NotedRequest = Pick<
  NewDirectoryRequest,
  'organizationId' | 'serviceAccountId' | 'credentialId' | 'ipAddress' | 'method' | 'status' | 'durationMs'
> & {
  readonly path: string;
  readonly filter: string | undefined;
  readonly scimType: string | undefined;
  readonly detail: string | undefined;
  readonly body: unknown;
};

export type RequestLog = {
  note(request: NotedRequest): void;
  /** Writes what is noted. Never throws. */
  flush(): Promise<void>;
  stop(): Promise<void>;
};

type Options = {
  readonly db: Pick<Database, 'scoped'>;
  readonly clock: () => Date;
  readonly logger: { warn(details: object, message: string): void };
};

const waitMs = 500;
/** Of all organizations together. What comes on top of it is not kept. */
const mostWaiting = 10_000;

export function createRequestLog({ db, clock, logger }: Options): RequestLog {
  let waiting = new Map<string, NewDirectoryRequest[]>();
  let count = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  const write = async (): Promise<void> => {
    const taken = waiting;
    waiting = new Map();
    count = 0;
    for (const [organizationId, rows] of taken) {
      try {
        await db.scoped(parseScope({ tenant: 'organization', id: organizationId }), async (tx) => {
          await insertDirectoryRequests(tx, rows);
          await pruneDirectoryRequests(tx, organizationId);
        });
      } catch (error) {
        logger.warn({ err: error, organizationId, requests: rows.length }, 'requests of a directory were not noted');
      }
    }
  };
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(write);
    return writing;
  };

  return {
    note: (request) => {
      if (count >= mostWaiting) return;
      const { organizationId } = request;
      const rows = waiting.get(organizationId) ?? [];
      waiting.set(organizationId, rows);
      rows.push(rowOf(request, clock()));
      count += 1;
      if (rows.length > mostDirectoryRequests) {
        rows.shift();
        count -= 1;
      }
      timer ??= setTimeout(() => void flush(), waitMs).unref();
    },
    flush,
    stop: flush,
  };
}

function rowOf({ path, filter, scimType, detail, body, durationMs, ...request }: NotedRequest, now: Date): NewDirectoryRequest {
  return {
    ...request,
    id: newId(),
    createdAt: now.toISOString(),
    durationMs: Math.round(durationMs),
    path: cutText(path, 300),
    filter: filter === undefined ? null : outlineFilter(filter),
    scimType: scimType ?? null,
    detail: detail === undefined ? null : cutText(detail, 300),
    body: outlineBody(body) ?? null,
  };
}
