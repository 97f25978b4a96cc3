// Generated from */v*/*.proto by `npm run generate`. Do not edit.
import type { Methods } from '../message.ts';
import type { AuditLogDefinition } from './audit/v1/AuditLog.ts';
import type { InboxDefinition } from './events/v1/Inbox.ts';
import type { IdentityDefinition } from './identity/v1/Identity.ts';
import type { KeysDefinition } from './keys/v1/Keys.ts';
import type { AuthorizationDefinition } from './rbac/v1/Authorization.ts';
import type { CatalogueDefinition } from './rbac/v1/Catalogue.ts';
import type { RolesDefinition } from './rbac/v1/Roles.ts';
import type { TagsDefinition } from './rbac/v1/Tags.ts';
import type { RevocationsDefinition } from './revocation/v1/Revocations.ts';
import type { TenancyDefinition } from './tenancy/v1/Tenancy.ts';

/** Every gRPC service by its full name. */
export type Services = {
  'audit.v1.AuditLog': Methods<AuditLogDefinition>;
  'events.v1.Inbox': Methods<InboxDefinition>;
  'identity.v1.Identity': Methods<IdentityDefinition>;
  'keys.v1.Keys': Methods<KeysDefinition>;
  'rbac.v1.Authorization': Methods<AuthorizationDefinition>;
  'rbac.v1.Catalogue': Methods<CatalogueDefinition>;
  'rbac.v1.Roles': Methods<RolesDefinition>;
  'rbac.v1.Tags': Methods<TagsDefinition>;
  'revocation.v1.Revocations': Methods<RevocationsDefinition>;
  'tenancy.v1.Tenancy': Methods<TenancyDefinition>;
};
