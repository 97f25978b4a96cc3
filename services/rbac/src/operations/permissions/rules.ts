import { failures } from '@tessera/kernel/errors';
import { MalformedCondition, parseCondition } from '@tessera/rules/condition';
import type { ResourceRow } from '../../storage/records.ts';

/** 400 for an action that the resource does not have. */
export function assertAction(resource: ResourceRow, action: string, field = 'action'): void {
  if (!resource.actions.includes(action))
    throw failures.validation(field, {
      en: `is none of the actions of ${resource.slug}`,
      de: `ist keine der Aktionen von ${resource.slug}`,
    });
}

/** 400 for a malformed condition. */
export function assertCondition(condition: object | null | undefined): void {
  if (condition === null || condition === undefined) return;
  try {
    parseCondition(condition);
  } catch (error) {
    if (error instanceof MalformedCondition) throw failures.validation('condition', error.reason);
    throw error;
  }
}
