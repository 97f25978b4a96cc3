export { type AuditRecord, writeAudit } from './audit.ts';
export {
  type Actor,
  type AuditEntry,
  type Cookie,
  callerOf,
  freshnessOf,
  type HandleContext,
  type OperationContext,
  type RequestFacts,
  type ResponseEffects,
  type Runtime,
  scopeOf,
} from './context.ts';
export { type Access, type Declaration, defineOperation, type Operation, type Target } from './declaration.ts';
export {
  entityFields,
  FreeObject,
  Id,
  Metadata,
  Name,
  Nullable,
  type Page,
  pageFields,
  pageOf,
  scopeField,
  strict,
  Timestamp,
  tagFilter,
  toPage,
} from './page.ts';
export type { Authorized, Permission } from './permission.ts';
export { identify, run } from './pipeline.ts';
export {
  loadRelation,
  type Placed,
  type Relation,
  type RelationAcross,
  type Row,
  rememberScope,
  rowScope,
  type ScopedRelation,
} from './relations.ts';
export { warmValidator } from './validate.ts';
