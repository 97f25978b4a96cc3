export {
  type AuditContext,
  type AuditRecord,
  auditMessage,
  type Change,
  listAudit,
  writeAudit,
  writeAuditMessage,
  writeAudits,
} from './audit.ts';
export { differences } from './changes.ts';
export * from './context.ts';
export { type Access, type Declaration, defineOperation, type Operation, type Target } from './declaration.ts';
export { type Deprecation, deprecationHeaders, deprecationText, LEAST_DEPRECATED_DAYS } from './deprecation.ts';
export { type Example, exampleId } from './example.ts';
export { idempotencyErrors, isCreating } from './idempotency.ts';
export { cutText, isNameSchema, LineOf, Name, NameOf, TextOf, toName } from './name.ts';
export * from './page.ts';
export { countsOverTime, type Period, periodField, periods, stepsSql } from './periods.ts';
export type { Authorized, Permission } from './permission.ts';
export { identify, run } from './pipeline.ts';
export { projectOutput } from './project.ts';
export * from './relations.ts';
export { type Committed, commitUnit, type Unit } from './unit.ts';
export { validatorOf } from './validate.ts';
export { assertVersion, entityTagOf, isVersioned } from './version.ts';
