// Written by `npm run generate`: every file of an operations/ folder that declares an operation.
import { getAccount } from './accounts/get-account.ts';
import { listAccounts } from './accounts/list-accounts.ts';
import { listAuditEvents } from './audit-events/list-audit-events.ts';
import { listMyAuditEvents } from './audit-events/list-my-audit-events.ts';
import { createCustomer } from './customers/create-customer.ts';
import { createPlatformOrganization } from './customers/create-platform-organization.ts';
import { listDirectoryPeople } from './directory/list-directory-people.ts';
import { listDirectoryRequests } from './directory/list-directory-requests.ts';
import { createDomain } from './domains/create-domain.ts';
import { deleteDomain } from './domains/delete-domain.ts';
import { getDomain } from './domains/get-domain.ts';
import { listDomains } from './domains/list-domains.ts';
import { verifyDomain } from './domains/verify-domain.ts';
import { acceptInvitation } from './invitations/accept-invitation.ts';
import { getInvitation } from './invitations/get-invitation.ts';
import { inviteMember } from './invitations/invite-member.ts';
import { listOrganizationInvitations } from './invitations/list-invitations.ts';
import { rejectInvitedAccount } from './invitations/reject-invited-account.ts';
import { renewInvitation } from './invitations/renew-invitation.ts';
import { resendInvitationEmail } from './invitations/resend-invitation.ts';
import { revokeInvitation } from './invitations/revoke-invitation.ts';
import { attachMember } from './members/attach-member.ts';
import { blockMember } from './members/block-member.ts';
import { detachMember } from './members/detach-member.ts';
import { endMemberSessions } from './members/end-member-sessions.ts';
import { listOrganizationMembers } from './members/list-members.ts';
import { listMembersWithoutSecondFactor } from './members/list-members-without-second-factor.ts';
import { removeOrganizationMember } from './members/remove-member.ts';
import { requireNewMemberPassword } from './members/require-new-member-password.ts';
import { unblockMember } from './members/unblock-member.ts';
import { updateOrganizationMember } from './members/update-member.ts';
import { createOrganization } from './organizations/create-organization.ts';
import { deleteOrganization } from './organizations/delete-organization.ts';
import { getOrganization } from './organizations/get-organization.ts';
import { listOrganizations } from './organizations/list-organizations.ts';
import { updateOrganization } from './organizations/update-organization.ts';
import { listPlatformAuditEvents } from './platform/list-platform-audit-events.ts';
import { listTenants } from './platform/list-tenants.ts';
import { resumeTenant } from './platform/resume-tenant.ts';
import { suspendTenant } from './platform/suspend-tenant.ts';
import { updateTenantQuotas } from './platform/update-tenant-quotas.ts';
import { acceptProjectGrant } from './project-grants/accept-project-grant.ts';
import { createProjectGrant } from './project-grants/create-project-grant.ts';
import { declineProjectGrant } from './project-grants/decline-project-grant.ts';
import { endProjectGrant } from './project-grants/end-project-grant.ts';
import { getProjectGrant } from './project-grants/get-project-grant.ts';
import { getProjectGrantOffer } from './project-grants/get-project-grant-offer.ts';
import { leaveProjectGrant } from './project-grants/leave-project-grant.ts';
import { listProjectGrantMembers } from './project-grants/list-project-grant-members.ts';
import { listProjectGrants } from './project-grants/list-project-grants.ts';
import { resumeProjectGrant } from './project-grants/resume-project-grant.ts';
import { suspendProjectGrant } from './project-grants/suspend-project-grant.ts';
import { updateProjectGrant } from './project-grants/update-project-grant.ts';
import { createProject } from './projects/create-project.ts';
import { deleteProject } from './projects/delete-project.ts';
import { listProjects } from './projects/list-projects.ts';
import { updateProject } from './projects/update-project.ts';
import { createWebhook } from './webhooks/create-webhook.ts';
import { createWebhookSecret } from './webhooks/create-webhook-secret.ts';
import { deleteWebhook } from './webhooks/delete-webhook.ts';
import { listWebhookDeliveries } from './webhooks/list-webhook-deliveries.ts';
import { listWebhooks } from './webhooks/list-webhooks.ts';
import { replayWebhookDelivery } from './webhooks/replay-webhook-delivery.ts';
import { testWebhook } from './webhooks/test-webhook.ts';
import { updateWebhook } from './webhooks/update-webhook.ts';
import { vouchForWebhook } from './webhooks/vouch-for-webhook.ts';

/** Everything that tenancy does for clients. */
export const operations = [
  getAccount,
  listAccounts,
  listAuditEvents,
  listMyAuditEvents,
  createCustomer,
  createPlatformOrganization,
  listDirectoryPeople,
  listDirectoryRequests,
  createDomain,
  deleteDomain,
  getDomain,
  listDomains,
  verifyDomain,
  acceptInvitation,
  getInvitation,
  inviteMember,
  listOrganizationInvitations,
  rejectInvitedAccount,
  renewInvitation,
  resendInvitationEmail,
  revokeInvitation,
  attachMember,
  blockMember,
  detachMember,
  endMemberSessions,
  listOrganizationMembers,
  listMembersWithoutSecondFactor,
  removeOrganizationMember,
  requireNewMemberPassword,
  unblockMember,
  updateOrganizationMember,
  createOrganization,
  deleteOrganization,
  getOrganization,
  listOrganizations,
  updateOrganization,
  listPlatformAuditEvents,
  listTenants,
  resumeTenant,
  suspendTenant,
  updateTenantQuotas,
  acceptProjectGrant,
  createProjectGrant,
  declineProjectGrant,
  endProjectGrant,
  getProjectGrant,
  getProjectGrantOffer,
  leaveProjectGrant,
  listProjectGrantMembers,
  listProjectGrants,
  resumeProjectGrant,
  suspendProjectGrant,
  updateProjectGrant,
  createProject,
  deleteProject,
  listProjects,
  updateProject,
  createWebhook,
  createWebhookSecret,
  deleteWebhook,
  listWebhookDeliveries,
  listWebhooks,
  replayWebhookDelivery,
  testWebhook,
  updateWebhook,
  vouchForWebhook,
];
