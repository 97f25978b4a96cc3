export { directoryRequests, directoryUsers } from './directory.ts';
export { directoryGroupMembers, directoryGroups } from './directory-groups.ts';
export { domains } from './domains.ts';
export { invitationCounts, organizationInvitations } from './invitations.ts';
export {
  departedMembers,
  endedOrganizationReaders,
  organizationPlaces,
  organizations,
  organizationUserChanges,
  organizationUsers,
} from './organizations.ts';
export { accounts, people } from './people.ts';
export { provisionedOrganizations, tenantRestrictions } from './platform.ts';
export { barredSignUps, projectGrants } from './project-grants.ts';
export { accountProjects, organizationProjects, projects, projectUsers } from './projects.ts';
export { webhookDeliveries, webhooks } from './webhooks.ts';
