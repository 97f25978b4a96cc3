import type { Past } from '@tessera/kernel/postgres';
import { type ParsedScope, parseScope, type Scope } from '@tessera/kernel/scope';
import type { Json } from '@tessera/rules/condition';
import { newEffort } from '@tessera/rules/effort';
import type { FreshnessOptions } from '../../decisions/decider.ts';
import { createTurns } from '../../decisions/turns.ts';
import type { RbacDeps } from '../../deps.ts';
import { builtInRolesGiving } from '../../domain/catalogue.ts';
import { isMet, type Question, rightsFor } from '../../domain/decision.ts';
import { type ActingParty, actorOf, holderOf } from '../../domain/delegation.ts';
import type { Grant } from '../../domain/rights.ts';
import type { MachineList } from '../../peers/machines.ts';
import { type GivingRole, type Holder, listGivingRoles, listHoldersOfRoles, rolesAt } from '../../storage/action-holders.ts';
import type { SubjectType } from './named.ts';

/** Who may do this? Subjects of one type, by id. */
export type SubjectSearch = FreshnessOptions & {
  readonly type: SubjectType;
  readonly scope: Scope;
  readonly resource: string;
  readonly action: string;
  readonly target: Readonly<Record<string, Json>>;
  /**
   * An actor that acts for them. A subject is found only if the actor has the permission, too. The
   * actor is looked up without a person: the search itself asks for the people's consents.
   */
  readonly actor?: ActingParty | undefined;
  /** Of the page before; undefined for the first. */
  readonly cursor?: string | undefined;
  readonly limit: number;
  /** Who holds roles may be read from a replica; what the roles give, never. */
  readonly past?: Past | undefined;
};
/** A page may be shorter than its limit while there is a cursor: then enough was looked at. */
export type SubjectPage = { readonly ids: readonly string[]; readonly nextCursor: string | undefined };

type Deps = Pick<RbacDeps, 'database' | 'decider' | 'userMetadata' | 'machines'>;

const firstId = '00000000-0000-0000-0000-000000000000';
/** Holders whom one page looks at; each of the second kind costs a part of a call to identity. */
const mostHolders = 5_000;
const mostWithUserMetadata = 2_000;
const mostMachines = 1_000;

export async function searchSubjects(deps: Deps, search: SubjectSearch): Promise<SubjectPage> {
  if (search.actor !== undefined && !(await mayActorItself(deps, search.actor, search))) return { ids: [], nextCursor: undefined };
  return search.type === 'user' ? searchUsers(deps, search) : searchMachines(deps, deps.machines[search.type], search);
}

/** Whether the actor itself has the permission, which is the same for every subject. */
async function mayActorItself({ decider }: Deps, actor: ActingParty, { scope, resource, action, target, ...asked }: SubjectSearch) {
  if (actor.cap !== undefined && !actor.cap.includes(`${resource}:${action}`)) return false;
  const subject = holderOf(actor);
  if (subject === undefined) return true;
  const { consistencyToken, noCache } = asked;
  return (await decider.decide({ subject, scope, resource, action, target, consistencyToken, noCache })).authorized;
}

/** A role that gives the action, and how: `undefined` without a condition. */
type Giving = GivingRole & { readonly grants: readonly Grant[] | undefined };

/** The rights of a role alone are those of an API key that has it. */
async function readGiving({ database, decider }: Deps, scope: ParsedScope, search: SubjectSearch): Promise<Giving[]> {
  const { resource, action } = search;
  const roles = await database.scoped(scope, (tx) => listGivingRoles(tx, scope, search, builtInRolesGiving(resource, action)), {
    readOnly: true,
    past: search.past,
  });
  const rights = await Promise.all(
    roles.map(({ id: roleId }) => decider.rightsOf({ type: 'session', userId: firstId, roleId }, search.scope, search)),
  );
  return roles.flatMap((role, index) => {
    const loaded = rights[index];
    const found = loaded && rightsFor(loaded.rights, resource, action);
    if (found === undefined) return [];
    return [{ ...role, grants: found.unconditional === undefined ? found.conditional : undefined }];
  });
}

function needsUser({ predicate }: Grant): boolean {
  return predicate?.needsUserMetadata === true;
}

/** An app may do for a person what they allowed it, and nothing once it was ended for them. */
function consentsFor({ machines }: Deps, { actor, scope, resource, action }: SubjectSearch) {
  if (actor?.type !== 'app') return undefined;
  const app = { scope, appId: actor.id, permission: `${resource}:${action}` };
  return (personIds: readonly string[]) => machines.consenting(app, personIds);
}

/** How long the conditions of one page may hold the event loop. */
const turnMs = 5;
const nextTurn = createTurns();

async function inTurns(holders: readonly Holder[], holds: (holder: Holder) => boolean | Promise<boolean>) {
  const verdicts: (boolean | Promise<boolean>)[] = [];
  let since = performance.now();
  for (const holder of holders) {
    if (performance.now() - since > turnMs) {
      await nextTurn();
      since = performance.now();
    }
    const verdict = holds(holder);
    // One that fails meanwhile fails the page, which awaits it later.
    if (verdict instanceof Promise) verdict.catch(() => undefined);
    verdicts.push(verdict);
  }
  return verdicts;
}

async function searchUsers(deps: Deps, search: SubjectSearch): Promise<SubjectPage> {
  const scope = parseScope(search.scope);
  const giving = await readGiving(deps, scope, search);
  if (giving.length === 0) return { ids: [], nextCursor: undefined };
  const conditional = giving.flatMap(({ grants = [] }) => grants);
  const readsMember = conditional.some(({ predicate }) => predicate?.readsMember);
  const nowMs = Date.now();
  const actor = search.actor && actorOf(search.actor);
  const consenting = consentsFor(deps, search);
  const ids: string[] = [];
  let [after, looked, fetched] = [search.cursor ?? firstId, 0, 0];

  // Many hold the same roles. Undefined: one of them gives the action without a condition.
  const grantsAt = new Map<string, readonly Grant[] | undefined>();
  const grantsOf = ({ places }: Holder): readonly Grant[] | undefined => {
    if (!grantsAt.has(places)) {
      const held = rolesAt(giving, places).map(({ grants }) => grants);
      grantsAt.set(places, held.includes(undefined) ? undefined : held.flatMap((grants) => grants ?? []));
    }
    return grantsAt.get(places);
  };

  const holds = (holder: Holder): boolean | Promise<boolean> => {
    const grants = grantsOf(holder);
    if (grants === undefined) return true;
    const { resource, action, target } = search;
    const { userId, memberMetadata } = holder;
    const question: Question = { resource, action, userId, target, memberMetadata: memberMetadata ?? undefined, nowMs, actor };
    const effort = newEffort();
    if (grants.some((grant) => !needsUser(grant) && isMet(grant, question, effort))) return true;
    const reading = grants.filter(needsUser);
    if (reading.length === 0) return false;
    fetched += 1;
    return deps.userMetadata
      .get(userId)
      .then((userMetadata) => reading.some((grant) => isMet(grant, { ...question, userMetadata }, effort)));
  };

  while (looked < mostHolders && fetched < mostWithUserMetadata) {
    // One more than the page tells whether there is another page.
    const wanted = conditional.length === 0 && consenting === undefined ? search.limit + 1 - ids.length : mostHolders - looked;
    const page = { after, limit: wanted, readsMember };
    const holders = await deps.database.scoped(scope, (tx) => listHoldersOfRoles(tx, scope, giving, page), {
      readOnly: true,
      past: search.past,
    });
    const verdicts = await inTurns(holders, holds);
    const held = verdicts.some((verdict) => verdict instanceof Promise) ? await Promise.all(verdicts) : verdicts;
    const able = holders.flatMap(({ userId }, index) => (held[index] ? [userId] : []));
    ids.push(...(consenting === undefined ? able : await consenting(able)));
    if (ids.length > search.limit) return { ids: ids.slice(0, search.limit), nextCursor: ids[search.limit - 1] };
    if (holders.length < wanted) return { ids, nextCursor: undefined };
    looked += holders.length;
    after = holders.at(-1)?.userId ?? after;
  }
  return { ids, nextCursor: after };
}

async function searchMachines(deps: Deps, list: MachineList, search: SubjectSearch): Promise<SubjectPage> {
  const { scope, resource, action, target, consistencyToken, noCache, limit } = search;
  const ids: string[] = [];
  let [after, looked] = [search.cursor ?? '', 0];
  while (looked < mostMachines) {
    const { machines, nextAfter } = await list.page(scope, after);
    const decisions = await Promise.all(
      machines.map(({ subject: own }) => {
        const subject = search.actor === undefined ? own : { ...own, actors: [search.actor] };
        return deps.decider.decide({ subject, scope, resource, action, target, consistencyToken, noCache });
      }),
    );
    const live = await list.live(machines.filter((_, index) => decisions[index]?.authorized));
    ids.push(...live.map(({ id }) => id));
    if (ids.length > limit) return { ids: ids.slice(0, limit), nextCursor: ids[limit - 1] };
    if (nextAfter === undefined) return { ids, nextCursor: undefined };
    looked += machines.length;
    after = nextAfter;
  }
  return { ids, nextCursor: after };
}
