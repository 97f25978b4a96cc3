import type { GrpcClient } from '@tessera/kernel/grpc';

/** What tenancy calls of the other services. */
export type RolesClient = Pick<
  GrpcClient<'rbac.v1.Roles'>,
  | 'changeMemberRole'
  | 'checkGrant'
  | 'countInScopes'
  | 'describeGrants'
  | 'endMembership'
  | 'endMemberships'
  | 'getRoles'
  | 'listHolders'
  | 'listOwnedOrganizations'
  | 'listScopeGroups'
  | 'listScopeRoles'
  | 'listSubjectRoles'
  | 'restrictMember'
  | 'setMemberMetadata'
>;
export type TagsClient = Pick<GrpcClient<'rbac.v1.Tags'>, 'checkTags' | 'listEntityTags' | 'listPrimaryTags' | 'listTaggedEntities'>;
export type IdentityClient = Pick<
  GrpcClient<'identity.v1.Identity'>,
  | 'countProjectApps'
  | 'exchangeDirectoryToken'
  | 'filterWithoutSecondFactor'
  | 'findPlatformAdministrator'
  | 'findVouchedApp'
  | 'findServiceAccount'
  | 'findServiceCredential'
  | 'findUserByEmail'
  | 'getUsers'
  | 'markEmailVerified'
  | 'registerInvited'
  | 'registerProvisioned'
  | 'registerProvisionedPeople'
  | 'rejectRegistration'
>;
