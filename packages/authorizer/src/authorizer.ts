import { createHash } from 'node:crypto';
import DataLoader from 'dataloader';
import { LRUCache } from 'lru-cache';
import { createChangeLog, type TenantChanges } from './changes.ts';
import { AuthorizerError } from './errors.ts';
import type { Decision, PermissionGrant, Question, Transport, Whose } from './question.ts';

export type AuthorizerOptions = {
  /** How long an answer may be used again: 1,000 ms by default and at most; 0 switches it off. */
  readonly maxAgeMs?: number;
  /** How many answers are kept: 50,000 by default. */
  readonly cacheSize?: number;
  /** Notices of changes, which end answers at once: `natsChanges(connection)`. */
  readonly changes?: TenantChanges;
};

/** Every method throws AuthorizerError when there is no answer. Treat that as no. */
export type Authorizer = {
  /** May they? Questions of the same moment travel together, at most 1,000 in a call. */
  isAuthorized(question: Question): Promise<boolean>;
  /** The decision with its reason. */
  decide(question: Question): Promise<Decision>;
  decideMany(questions: readonly Question[]): Promise<readonly Decision[]>;
  /** The decision with the matched permission and condition, and what they were compared with. */
  explain(question: Question): Promise<Decision>;
  /** All that a subject may do in a scope. */
  listPermissions(whose: Whose): Promise<readonly PermissionGrant[]>;
  /** Forgets all answers, for example after a write of your own. */
  forget(): void;
  close(): void;
};

/** A second: a revoked token counts no longer than this anywhere in the platform. */
const longestAgeMs = 1_000;

type Kept = { readonly decision: Decision; readonly askedAt: number; readonly moment: number };

export function createAuthorizer(transport: Transport, options: AuthorizerOptions = {}): Authorizer {
  const { maxAgeMs = longestAgeMs, cacheSize = 50_000, changes } = options;
  if (!(maxAgeMs >= 0 && maxAgeMs <= longestAgeMs)) throw new RangeError(`maxAgeMs must be from 0 to ${longestAgeMs}`);
  const kept = new LRUCache<string, Kept>({ max: cacheSize });
  const log = createChangeLog(longestAgeMs);
  const stop = changes?.((tenantKey) => log.note(tenantKey));

  const loader = new DataLoader((questions: readonly Question[]) => askHalving(transport, questions), {
    cache: false,
    maxBatchSize: transport.mostQuestions,
    batchScheduleFn: (dispatch) => setImmediate(dispatch),
  });

  const decide = async (question: Question): Promise<Decision> => {
    assertWhose(question);
    if (question.noCache === true || question.consistencyToken !== undefined || maxAgeMs === 0) return loader.load(question);
    const key = keyOf(question);
    const known = kept.get(key);
    const isFresh = known !== undefined && performance.now() - known.askedAt < maxAgeMs;
    if (isFresh && !log.hasChangedSince(known.moment, question.scope?.id)) return known.decision;
    const [askedAt, moment] = [performance.now(), log.now()];
    const decision = await loader.load(question);
    kept.set(key, { decision, askedAt, moment });
    return decision;
  };

  return {
    isAuthorized: async (question) => (await decide(question)).authorized,
    decide,
    decideMany: (questions) => Promise.all(questions.map(decide)),
    async explain(question) {
      assertWhose(question);
      const [decision] = await transport.ask([question], true);
      return decision ?? noAnswer();
    },
    async listPermissions(whose) {
      assertWhose(whose);
      return transport.listPermissions(whose);
    },
    forget: () => log.note(),
    close() {
      stop?.();
      transport.close();
    },
  };
}

/** A token that is missing by mistake must not turn into the rights of this program. */
function assertWhose({ userToken, subject }: Whose): void {
  if ((userToken === undefined) === (subject === undefined))
    throw new AuthorizerError(
      'INVALID_ARGUMENT',
      'a question has either userToken or subject; for your own rights subject { type: "self" }',
    );
}

function noAnswer(): never {
  throw new AuthorizerError('INTERNAL', 'the answer has fewer decisions than questions were asked');
}

/** All that an answer depends on, in one order, so that different questions have different keys. */
function keyOf({ userToken, subject, scope, resource, action, target }: Question): string {
  const parts = [userToken, subject && Object.entries(subject).sort(), scope?.tenant, scope?.id, resource, action, target];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}

/** Halves a batch that is refused for what it says, so that one bad question fails alone. */
async function askHalving(transport: Transport, questions: readonly Question[]): Promise<readonly (Decision | Error)[]> {
  try {
    const decisions = await transport.ask(questions, false);
    return questions.map((_, index) => decisions[index] ?? noAnswer());
  } catch (cause) {
    const error = cause instanceof Error ? cause : new Error(String(cause));
    const mayBeOneQuestion = error instanceof AuthorizerError && ['INVALID_ARGUMENT', 'PERMISSION_DENIED'].includes(error.code);
    if (questions.length === 1 || !mayBeOneQuestion) return questions.map(() => error);
    const half = Math.ceil(questions.length / 2);
    const parts = [questions.slice(0, half), questions.slice(half)];
    return (await Promise.all(parts.map((part) => askHalving(transport, part)))).flat();
  }
}
