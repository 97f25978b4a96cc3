/**
 * Applies what a large group gives, in portions: each is a transaction of its own, and the next
 * process goes on where one has died (docs/decisions/030).
 */
import { emit } from '@tessera/kernel/events';
import { parseScope } from '@tessera/kernel/scope';
import type { RbacDeps } from '../../deps.ts';
import { holdDirectory } from '../../storage/directory.ts';
import {
  advanceDirectoryChange,
  type DirectoryChange,
  deleteDirectoryChange,
  findNextDirectoryChange,
  listPeopleAfter,
  lockDirectoryChange,
  postponeDirectoryChange,
} from '../../storage/directory-changes.ts';
import { applyInScope } from './apply.ts';

/** People in one transaction. A group with more is not applied by the request that maps it. */
export const portionSize = 500;

type Deps = Pick<RbacDeps, 'database' | 'places' | 'tenants'> & {
  readonly deliver: (eventIds: readonly string[]) => Promise<unknown>;
  readonly logger: { error(details: object, message: string): void };
};

/** The next people of a change. Returns the ids of the events. */
function applyPortion({ database, places, tenants }: Deps, { groupId, scopeId, tenant, organizationId }: DirectoryChange) {
  return database.transaction(async (tx): Promise<readonly string[]> => {
    const scope = await places.resolve(parseScope({ tenant, id: scopeId }));
    // In the order of all that changes mappings: organization, scope, change.
    const isLive = (await holdDirectory(tx, organizationId)) && (await tenants.bump(tx, scope)) !== undefined;
    const change = await lockDirectoryChange(tx, { groupId, scopeId });
    if (change === undefined) return [];
    const { afterUserId, actorId } = change;
    const userIds = isLive ? await listPeopleAfter(tx, { organizationId, groupId, afterUserId, limit: portionSize }) : [];
    const last = userIds.at(-1);
    if (last === undefined || userIds.length < portionSize) await deleteDirectoryChange(tx, change);
    else await advanceDirectoryChange(tx, change, { afterUserId: last, doneCount: userIds.length });
    if (last === undefined) return [];
    const { events } = await applyInScope(tx, scope, { organizationId, userIds, actorId });
    return emit(tx, events);
  });
}

export type DirectoryChanges = ReturnType<typeof createDirectoryChanges>;

export function createDirectoryChanges(deps: Deps) {
  let isStopped = false;
  let isAwake = false;
  let running: Promise<void> = Promise.resolve();

  /** All portions of all changes, in turns. */
  async function applyAll(): Promise<void> {
    isAwake = false;
    let failures = 0;
    for (;;) {
      const change = isStopped || failures > 3 ? undefined : await findNextDirectoryChange(deps.database);
      if (change === undefined) return;
      try {
        await deps.deliver(await applyPortion(deps, change));
      } catch (error) {
        failures += 1;
        deps.logger.error(
          { err: error, groupId: change.groupId },
          'a portion of a directory group was not applied and will be tried again',
        );
        await deps.database.transaction((tx) => postponeDirectoryChange(tx, change));
      }
    }
  }

  /** One run at a time in a process. Others may run at once: each portion locks its change. */
  function run(): Promise<void> {
    running = running.then(applyAll).catch((error: unknown) => deps.logger.error({ err: error }, 'changes of directory groups wait'));
    return running;
  }

  return {
    run,
    /** After a change has committed. */
    wake(): void {
      if (isAwake || isStopped) return;
      isAwake = true;
      void run();
    },
    async stop(): Promise<void> {
      isStopped = true;
      await running;
    },
  };
}
