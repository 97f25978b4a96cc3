import type { Claims } from './claims.ts';

/** Tokens with this jti; or of this user, or signed with this kid, issued at or before `before`. */
export type Revocation = {
  readonly kind: 'jti' | 'user' | 'kid';
  readonly value: string;
  readonly before: string;
  /** When the last token that it could concern has expired. */
  readonly expiresAt: string;
};

type WireRevocation = { readonly kind: string; readonly value: string; readonly before: string; readonly expiresAt: string };

/** A service that revokes (`revocation.v1.Revocations`), remote or one's own. An empty cursor asks for all that is in force. */
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
  /** Begins to pull, and goes on until `stop`. Resolves when every source has answered once. */
  start(): Promise<void>;
  stop(): void;
  isRevoked(claims: Pick<Claims, 'jti' | 'sub' | 'iat'>, kid: string): boolean;
  /** Takes effect here at once; the caller publishes the notice for the others. */
  add(revocation: Revocation): void;
  /** False until every source has answered, and when one has been silent for too long: then nobody may be let in. */
  readonly fresh: boolean;
};

type Entry = { readonly before: number; readonly expires: number };

const RETRY_MS = 250;
const PRUNE_EVERY_MS = 30_000;

function isRevocation(entry: object): entry is Revocation {
  return (
    'kind' in entry && 'value' in entry && 'before' in entry && 'expiresAt' in entry && ['jti', 'user', 'kid'].includes(String(entry.kind))
  );
}

export function createRevocations({
  sources,
  notices,
  pullSeconds = 3,
  staleAfterSeconds = 60,
  clock = Date.now,
  logger,
}: Options): Revocations {
  const entries = { jti: new Map<string, Entry>(), user: new Map<string, Entry>(), kid: new Map<string, Entry>() };
  let prunedAt = 0;
  let stopped = false;

  /** True when this says something new. Repetition and order do not matter: the later `before` stands. */
  const learn = (entry: object): boolean => {
    if (!isRevocation(entry)) throw new Error('malformed revocation');
    const { kind, value } = entry;
    const known = entries[kind].get(value) ?? { before: Number.NEGATIVE_INFINITY, expires: 0 };
    const before = Math.max(known.before, kind === 'jti' ? Number.POSITIVE_INFINITY : Date.parse(entry.before) / 1000);
    const expires = Math.max(known.expires, Date.parse(entry.expiresAt));
    if (Number.isNaN(before + expires)) throw new Error('malformed revocation');
    if (before === known.before && expires === known.expires) return false;
    entries[kind].set(value, { before, expires });
    return true;
  };

  const prune = (now: number): void => {
    if (now - prunedAt < PRUNE_EVERY_MS) return;
    prunedAt = now;
    for (const kind of Object.values(entries)) for (const [value, { expires }] of kind) if (expires < now) kind.delete(value);
  };

  const follow = (source: RevocationSource) => {
    const first = Promise.withResolvers<void>();
    const state = {
      answeredAt: Number.NEGATIVE_INFINITY,
      cursor: '',
      timer: undefined as NodeJS.Timeout | undefined,
      failures: 0,
      isPulling: false,
      again: false,
    };

    const pullAll = async (): Promise<void> => {
      const startedAt = clock();
      for (;;) {
        const page = await source.list({ cursor: state.cursor });
        const news = page.revocations.filter(learn).length;
        state.cursor = page.cursor;
        if (news === 0) break;
      }
      state.answeredAt = startedAt;
      state.failures = 0;
      first.resolve();
    };

    /** A pull that failed is not left for the next regular one: nobody would be let in if that were to fail as well. */
    const nextInMs = (): number => {
      if (state.again) return 0;
      if (state.answeredAt === Number.NEGATIVE_INFINITY) return RETRY_MS;
      const regular = pullSeconds * 1000 * (0.75 + Math.random() / 2);
      return state.failures === 0 ? regular : Math.min(regular, RETRY_MS * 2 ** state.failures);
    };

    const pull = async (): Promise<void> => {
      clearTimeout(state.timer);
      state.again = state.isPulling;
      if (stopped || state.isPulling) return;
      state.isPulling = true;
      await pullAll().catch((err: unknown) => {
        state.failures += 1;
        logger?.warn({ err, source: source.name }, 'revocations could not be pulled');
      });
      state.isPulling = false;
      prune(clock());
      if (!stopped) state.timer = setTimeout(pull, nextInMs()).unref();
    };

    return { state, pull, first: first.promise };
  };

  const followed = sources.map(follow);
  notices.subscribe('revocation', (payload) => void learn(payload));
  notices.onReconnect(() => {
    for (const { pull } of followed) void pull();
  });

  const hits = (entry: Entry | undefined, iat: number): boolean => entry !== undefined && iat <= entry.before;

  return {
    async start() {
      for (const { pull } of followed) void pull();
      await Promise.all(followed.map(({ first }) => first));
    },
    stop() {
      stopped = true;
      for (const { state } of followed) clearTimeout(state.timer);
    },
    isRevoked: ({ jti, sub, iat }, kid) => entries.jti.has(jti) || hits(entries.user.get(sub), iat) || hits(entries.kid.get(kid), iat),
    add: (revocation) => void learn(revocation),
    get fresh() {
      const oldest = clock() - staleAfterSeconds * 1000;
      return followed.every(({ state }) => state.answeredAt >= oldest);
    },
  };
}
