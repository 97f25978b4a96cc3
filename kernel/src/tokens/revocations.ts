import type { Claims } from './claims.ts';
import { followSource } from './followed-source.ts';

/** Tokens with this jti; or of this user, or signed with this kid, issued at or before `before`. */
export type Revocation = {
  readonly kind: 'jti' | 'user' | 'kid';
  readonly value: string;
  readonly before: string;
  /** When the last token that it refuses has expired. */
  readonly expiresAt: string;
};

type WireRevocation = { readonly kind: string; readonly value: string; readonly before: string; readonly expiresAt: string };

/** `revocation.v1.Revocations` of a service. An empty cursor lists all revocations in force. */
export type RevocationSource = {
  readonly name: string;
  list(request: { cursor: string }): Promise<{ revocations: readonly WireRevocation[]; cursor: string }>;
};

type Notices = {
  subscribe(topic: 'revocation', handler: (payload: object) => void): unknown;
  onReconnect(handler: () => void): unknown;
};

type Options = {
  readonly sources: readonly RevocationSource[];
  readonly notices: Notices;
  readonly pullSeconds?: number;
  readonly staleAfterSeconds?: number;
  readonly clock?: () => number;
  readonly logger?: { warn(fields: object, message: string): void };
};

export type Revocations = {
  /** Pulls from every source until `stop`. Resolves when each of them has answered once. */
  start(): Promise<void>;
  stop(): void;
  isRevoked(claims: Pick<Claims, 'jti' | 'sub' | 'iat'>, kid: string): boolean;
  /** Takes effect here at once; the caller publishes the notice for the others. */
  add(revocation: Revocation): void;
  /** False until every source has answered, and when one is late: then all tokens are refused. */
  readonly fresh: boolean;
};

/** Refuses tokens issued up to `before`; can be deleted after `expires`. Units as compared. */
type Entry = { readonly beforeSeconds: number; readonly expiresMs: number };

const pruneEveryMs = 30_000;

function isRevocation(entry: object): entry is Revocation {
  return (
    'kind' in entry && 'value' in entry && 'before' in entry && 'expiresAt' in entry && ['jti', 'user', 'kid'].includes(String(entry.kind))
  );
}

/** The revocations in force, by kind and value. */
function createEntries() {
  const entries = { jti: new Map<string, Entry>(), user: new Map<string, Entry>(), kid: new Map<string, Entry>() };
  let prunedAtMs = 0;
  return {
    entries,
    /** True for a change. Repetition and order do not matter: the later times stand. */
    learn(entry: object): boolean {
      if (!isRevocation(entry)) throw new Error('malformed revocation');
      const { kind, value } = entry;
      const known = entries[kind].get(value) ?? { beforeSeconds: Number.NEGATIVE_INFINITY, expiresMs: 0 };
      const before = kind === 'jti' ? Number.POSITIVE_INFINITY : Date.parse(entry.before) / 1000;
      const beforeSeconds = Math.max(known.beforeSeconds, before);
      const expiresMs = Math.max(known.expiresMs, Date.parse(entry.expiresAt));
      if (Number.isNaN(beforeSeconds + expiresMs)) throw new Error('malformed revocation');
      if (beforeSeconds === known.beforeSeconds && expiresMs === known.expiresMs) return false;
      entries[kind].set(value, { beforeSeconds, expiresMs });
      return true;
    },
    prune(nowMs: number): void {
      if (nowMs - prunedAtMs < pruneEveryMs) return;
      prunedAtMs = nowMs;
      for (const kind of Object.values(entries)) for (const [value, { expiresMs }] of kind) if (expiresMs < nowMs) kind.delete(value);
    },
  };
}

function refuses(entry: Entry | undefined, issuedAt: number): boolean {
  return entry !== undefined && issuedAt <= entry.beforeSeconds;
}

export function createRevocations({
  sources,
  notices,
  pullSeconds = 3,
  staleAfterSeconds = 60,
  clock = Date.now,
  logger,
}: Options): Revocations {
  const { entries, learn, prune } = createEntries();
  const followed = sources.map((source) =>
    followSource({
      ...{ source, pullSeconds, clock, learn },
      onPulled: () => prune(clock()),
      onFailed: (err) => logger?.warn({ err, source: source.name }, 'revocations could not be pulled'),
    }),
  );
  notices.subscribe('revocation', (payload) => void learn(payload));
  notices.onReconnect(() => {
    for (const { pull } of followed) void pull();
  });

  return {
    async start() {
      for (const { pull } of followed) void pull();
      await Promise.all(followed.map(({ first }) => first));
    },
    stop() {
      for (const { stop } of followed) stop();
    },
    isRevoked: ({ jti, sub, iat }, kid) =>
      entries.jti.has(jti) || refuses(entries.user.get(sub), iat) || refuses(entries.kid.get(kid), iat),
    add: (revocation) => void learn(revocation),
    get fresh() {
      const oldest = clock() - staleAfterSeconds * 1000;
      return followed.every(({ pulledAt }) => pulledAt >= oldest);
    },
  };
}
