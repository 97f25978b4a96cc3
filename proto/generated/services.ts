// Generated from */v*/service.proto by `npm run generate`. Do not edit.
import type { InboxMethods } from './events.v1.ts';
import type { IdentityMethods } from './identity.v1.ts';
import type { KeysMethods } from './keys.v1.ts';
import type { AuthorizationMethods, RolesMethods, TagsMethods, CatalogueMethods } from './rbac.v1.ts';
import type { RevocationsMethods } from './revocation.v1.ts';
import type { TenancyMethods } from './tenancy.v1.ts';

/** Every gRPC service by its full name. */
export type Services = {
  'events.v1.Inbox': InboxMethods;
  'identity.v1.Identity': IdentityMethods;
  'keys.v1.Keys': KeysMethods;
  'rbac.v1.Authorization': AuthorizationMethods;
  'rbac.v1.Roles': RolesMethods;
  'rbac.v1.Tags': TagsMethods;
  'rbac.v1.Catalogue': CatalogueMethods;
  'revocation.v1.Revocations': RevocationsMethods;
  'tenancy.v1.Tenancy': TenancyMethods;
};
