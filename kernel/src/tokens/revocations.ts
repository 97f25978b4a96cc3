import { LRUCache } from 'lru-cache';
import type { Claims } from './claims.ts';
import { followSource } from './followed-source.ts';

/**
 * Tokens with this jti, or with this credential or generation of a service account; or of this
 * user, signed with this kid, or of the scope of this project grant, issued at or before `before`.
 */
export type Revocation = {
  readonly kind: 'jti' | 'user' | 'kid' | 'scope';
  readonly value: string;
  readonly before: string;
  /** When the last token that it refuses has expired. */
  readonly expiresAt: string;
};

type WireRevocation = { readonly kind: string; readonly value: string; readonly before: string; readonly expiresAt: string };

/** Those of scopes stand apart: a reader from before them refuses a kind that it does not know. */
export type RevocationPage = {
  readonly revocations: readonly WireRevocation[];
  readonly scopes: readonly Omit<WireRevocation, 'kind'>[];
  readonly cursor: string;
};

/** `revocation.v1.Revocations` of a service. An empty cursor lists all revocations in force. */
export type RevocationSource = {
  readonly name: string;
  list(request: { cursor: string }): Promise<RevocationPage>;
};

type Notices = { subscribe(topic: 'revocation', handler: (payload: object) => void): unknown; onReconnect(handler: () => void): unknown };

type Options = {
  readonly sources: readonly RevocationSource[];
  readonly notices: Notices;
  readonly pullSeconds?: number;
  readonly staleAfterSeconds?: number;
  readonly clock?: () => number;
  readonly logger?: { warn(fields: object, message: string): void };
};

export type Revocations = {
  start(): Promise<void>;
  stop(): void;
  isRevoked(claims: Pick<Claims, 'jti' | 'sub' | 'iat' | 'service'>, kid: string, grantScope?: string): boolean;
  /** Takes effect here at once; the caller publishes the notice for the others. */
  add(revocation: Revocation): void;
  /** False until every source has answered, and when one is late: then all tokens are refused. */
  readonly fresh: boolean;
  /** Seconds since the last pull from each source. */
  ages(): Readonly<Record<string, number>>;
};

const pruneEveryMs = 30_000;
const mostHeard = 10_000;
const skewMs = 5_000;

/** Refuses tokens issued up to `before`. Units as compared. */
type Entry = { readonly beforeSeconds: number };
type Pulled = Entry & { readonly expiresMs: number };
type Heard = Entry & { readonly heardAtMs: number };

function isRevocation(entry: object): entry is Revocation {
  const isKnown = 'kind' in entry && ['jti', 'user', 'kid', 'scope'].includes(String(entry.kind));
  return isKnown && 'value' in entry && 'before' in entry && 'expiresAt' in entry;
}

function keyOf(kind: Revocation['kind'], value: string): string {
  return `${kind} ${value}`;
}

function beforeOf({ kind, before }: Revocation): number {
  return kind === 'jti' ? Number.POSITIVE_INFINITY : Date.parse(before) / 1000;
}

/** The revocations in force: those of the sources, and what notices say until the next pulls. */
function createEntries(clock: () => number) {
  const pulled = new Map<string, Pulled>();
  const heard = new LRUCache<string, Heard>({ max: mostHeard });
  let prunedAtMs = 0;

  return {
    /** True for a change. Repetition and order do not matter: the later times stand. */
    learn(entry: object): boolean {
      if (!isRevocation(entry)) throw new Error('malformed revocation');
      const key = keyOf(entry.kind, entry.value);
      const known = pulled.get(key) ?? { beforeSeconds: Number.NEGATIVE_INFINITY, expiresMs: 0 };
      const beforeSeconds = Math.max(known.beforeSeconds, beforeOf(entry));
      const expiresMs = Math.max(known.expiresMs, Date.parse(entry.expiresAt));
      if (Number.isNaN(beforeSeconds + expiresMs)) throw new Error('malformed revocation');
      if (beforeSeconds === known.beforeSeconds && expiresMs === known.expiresMs) return false;
      pulled.set(key, { beforeSeconds, expiresMs });
      return true;
    },
    /**
     * A notice refuses no token of the future, and nothing for longer than until the next pulls.
     */
    hear(entry: object): void {
      if (!isRevocation(entry)) return;
      const [key, heardAtMs] = [keyOf(entry.kind, entry.value), clock()];
      const latest = entry.kind === 'jti' ? Number.POSITIVE_INFINITY : (heardAtMs + skewMs) / 1000;
      const beforeSeconds = Math.max(heard.get(key)?.beforeSeconds ?? 0, Math.min(beforeOf(entry), latest));
      heard.set(key, { beforeSeconds, heardAtMs });
    },
    refuses(kind: Revocation['kind'], value: string, issuedAt: number): boolean {
      const key = keyOf(kind, value);
      return [pulled.get(key), heard.get(key)].some((entry) => entry !== undefined && issuedAt <= entry.beforeSeconds);
    },
    /** After all sources were pulled since `pulledAtMs`. */
    prune(pulledAtMs: number): void {
      for (const [key, { heardAtMs }] of heard) if (heardAtMs < pulledAtMs) heard.delete(key);
      const nowMs = clock();
      if (nowMs - prunedAtMs < pruneEveryMs) return;
      prunedAtMs = nowMs;
      for (const [key, { expiresMs }] of pulled) if (expiresMs < nowMs) pulled.delete(key);
    },
  };
}

export function createRevocations({
  sources,
  notices,
  pullSeconds = 3,
  staleAfterSeconds = 60,
  clock = Date.now,
  logger,
}: Options): Revocations {
  const { learn, hear, refuses, prune } = createEntries(clock);
  const pulledAt = () => Math.min(...followed.map((source) => source.pulledAt));
  const followed = sources.map((source) =>
    followSource({
      source,
      pullSeconds,
      clock,
      learn,
      onPulled: () => prune(pulledAt()),
      onFailed: (err) => logger?.warn({ err, source: source.name }, 'revocations could not be pulled'),
    }),
  );
  const pullAll = () => {
    for (const { pull } of followed) void pull();
  };
  notices.subscribe('revocation', hear);
  notices.onReconnect(pullAll);

  return {
    async start() {
      pullAll();
      await Promise.all(followed.map(({ first }) => first));
    },
    stop() {
      for (const { stop } of followed) stop();
    },
    isRevoked: ({ jti, sub, iat, service }, kid, grantScope) =>
      refuses('jti', jti, iat) ||
      refuses('user', sub, iat) ||
      refuses('kid', kid, iat) ||
      (service !== undefined && (refuses('jti', service.credentialId, iat) || refuses('jti', service.generation, iat))) ||
      (grantScope !== undefined && refuses('scope', grantScope, iat)),
    add: (revocation) => void learn(revocation),
    ages: () => Object.fromEntries(followed.map(({ pulledAt: at }, index) => [sources[index]?.name, (clock() - at) / 1_000])),
    get fresh() {
      return pulledAt() >= clock() - staleAfterSeconds * 1000;
    },
  };
}
