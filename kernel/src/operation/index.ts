export { type AuditRecord, writeAudit } from './audit.ts';
export * from './context.ts';
export { type Access, type Declaration, defineOperation, type Operation, type Target } from './declaration.ts';
export * from './page.ts';
export type { Authorized, Permission } from './permission.ts';
export { identify, run } from './pipeline.ts';
export { projectOutput } from './project.ts';
export * from './relations.ts';
export { validatorOf } from './validate.ts';
