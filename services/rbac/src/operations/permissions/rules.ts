import { failures } from '@tessera/kernel/errors';
import { MalformedCondition, parseCondition } from '../../domain/condition.ts';
import type { ResourceRow } from '../../storage/records.ts';

/** An action that the resource does not have can't be permitted. */
export function assertAction(resource: ResourceRow, action: string): void {
  if (!resource.actions.includes(action)) throw failures.validation('action', `is none of the actions of ${resource.slug}`);
}

/** A malformed condition is refused when it is written, not when it is read. */
export function assertCondition(condition: object | null | undefined): void {
  if (condition === null || condition === undefined) return;
  try {
    parseCondition(condition);
  } catch (error) {
    if (error instanceof MalformedCondition) throw failures.validation('condition', error.message);
    throw error;
  }
}
