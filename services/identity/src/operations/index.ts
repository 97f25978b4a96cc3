// Written by `npm run generate`: every file of an operations/ folder that declares an operation.
import { getBranding } from '../apps/operations/branding/get-branding.ts';
import { getPublicBranding } from '../apps/operations/branding/get-public-branding.ts';
import { updateBranding } from '../apps/operations/branding/update-branding.ts';
import { getClientDocuments } from '../apps/operations/client-documents/get-client-documents.ts';
import { updateClientDocuments } from '../apps/operations/client-documents/update-client-documents.ts';
import { createProjectApp } from '../apps/operations/create-project-app.ts';
import { createProjectAppSecret } from '../apps/operations/create-secret.ts';
import { deleteProjectApp } from '../apps/operations/delete-project-app.ts';
import { deleteProjectAppSecret } from '../apps/operations/delete-secret.ts';
import { getSignInCounts } from '../apps/operations/get-sign-in-counts.ts';
import { listProjectApps } from '../apps/operations/list-project-apps.ts';
import { listProjectAppSecrets } from '../apps/operations/list-secrets.ts';
import { createPlatformServiceAccountCredential } from '../apps/operations/platform-accounts/create-platform-credential.ts';
import { createPlatformServiceAccount } from '../apps/operations/platform-accounts/create-platform-service-account.ts';
import { deletePlatformServiceAccountCredential } from '../apps/operations/platform-accounts/delete-platform-credential.ts';
import { deletePlatformServiceAccount } from '../apps/operations/platform-accounts/delete-platform-service-account.ts';
import { getPlatformServiceAccount } from '../apps/operations/platform-accounts/get-platform-service-account.ts';
import { listPlatformServiceAccounts } from '../apps/operations/platform-accounts/list-platform-service-accounts.ts';
import { updatePlatformServiceAccount } from '../apps/operations/platform-accounts/update-platform-service-account.ts';
import { createServiceAccountCredential } from '../apps/operations/service-accounts/create-credential.ts';
import { createServiceAccount } from '../apps/operations/service-accounts/create-service-account.ts';
import { deleteServiceAccountCredential } from '../apps/operations/service-accounts/delete-credential.ts';
import { deleteServiceAccount } from '../apps/operations/service-accounts/delete-service-account.ts';
import { getServiceAccount } from '../apps/operations/service-accounts/get-service-account.ts';
import { listServiceAccounts } from '../apps/operations/service-accounts/list-service-accounts.ts';
import { updateServiceAccount } from '../apps/operations/service-accounts/update-service-account.ts';
import { updateProjectApp } from '../apps/operations/update-project-app.ts';
import { allowAgent } from '../oauth/operations/agents/allow-agent.ts';
import { allowMyAgent } from '../oauth/operations/agents/allow-my-agent.ts';
import { deleteAgent } from '../oauth/operations/agents/delete-agent.ts';
import { deleteMyAgent } from '../oauth/operations/agents/delete-my-agent.ts';
import { listAgents } from '../oauth/operations/agents/list-agents.ts';
import { listMyAgents } from '../oauth/operations/agents/list-my-agents.ts';
import { deleteProjectAppConsent } from '../oauth/operations/consents/delete-consent.ts';
import { deleteMyConsent } from '../oauth/operations/consents/delete-my-consent.ts';
import { listProjectAppConsents } from '../oauth/operations/consents/list-consents.ts';
import { listMyConsents } from '../oauth/operations/consents/list-my-consents.ts';
import { continueInteraction } from '../oauth/operations/continue-interaction.ts';
import { enterDeviceCode } from '../oauth/operations/enter-device-code.ts';
import { getAppInfo } from '../oauth/operations/get-app-info.ts';
import { getInteraction } from '../oauth/operations/get-interaction.ts';
import { requestMagicLink } from '../oauth/operations/request-magic-link.ts';
import { createSupportAccess } from '../oauth/operations/support/create-support-access.ts';
import { createSupportConsent } from '../oauth/operations/support/create-support-consent.ts';
import { deleteSupportConsent } from '../oauth/operations/support/delete-support-consent.ts';
import { endMySupportAccess } from '../oauth/operations/support/end-my-support-access.ts';
import { exchangeSupportAccess } from '../oauth/operations/support/exchange-support-access.ts';
import { grantSupportAccess } from '../oauth/operations/support/grant-support-access.ts';
import { listMySupportAccesses } from '../oauth/operations/support/list-my-support-accesses.ts';
import { listSupportAccesses } from '../oauth/operations/support/list-support-accesses.ts';
import { listSupportConsents } from '../oauth/operations/support/list-support-consents.ts';
import { revokeSupportAccess } from '../oauth/operations/support/revoke-support-access.ts';
import { deleteMailText } from '../people/operations/mail-texts/delete-mail-text.ts';
import { getMailText } from '../people/operations/mail-texts/get-mail-text.ts';
import { previewMailText } from '../people/operations/mail-texts/preview-mail-text.ts';
import { testMailText } from '../people/operations/mail-texts/test-mail-text.ts';
import { updateMailText } from '../people/operations/mail-texts/update-mail-text.ts';
import { importUsers } from '../people/operations/platform/import-users.ts';
import { createUser } from '../people/operations/users/create-user.ts';
import { deleteUser } from '../people/operations/users/delete-user.ts';
import { getUser } from '../people/operations/users/get-user.ts';
import { listUsers } from '../people/operations/users/list-users.ts';
import { updateUser } from '../people/operations/users/update-user.ts';
import { uploadUserPicture } from '../people/operations/users/upload-user-picture.ts';
import { confirmAddress } from '../sign-in/operations/address/confirm-address.ts';
import { rejectRegistration } from '../sign-in/operations/address/reject-registration.ts';
import { requestAddressCode } from '../sign-in/operations/address/request-address-code.ts';
import { setInvitationMails } from '../sign-in/operations/address/set-invitation-mails.ts';
import { completeSecondFactor } from '../sign-in/operations/authentication/complete-second-factor.ts';
import { confirmIdentity } from '../sign-in/operations/authentication/confirm-identity.ts';
import { discoverSignIn } from '../sign-in/operations/authentication/discover-sign-in.ts';
import { exchangeCode } from '../sign-in/operations/authentication/exchange-code.ts';
import { finishRecovery } from '../sign-in/operations/authentication/finish-recovery.ts';
import { getConfirmOptions } from '../sign-in/operations/authentication/get-confirm-options.ts';
import { getPasskeyOptions } from '../sign-in/operations/authentication/get-passkey-options.ts';
import { getSecondFactorOptions } from '../sign-in/operations/authentication/get-second-factor-options.ts';
import { getSignInOptions } from '../sign-in/operations/authentication/get-sign-in-options.ts';
import { login } from '../sign-in/operations/authentication/login.ts';
import { loginWithPasskey } from '../sign-in/operations/authentication/login-with-passkey.ts';
import { logout } from '../sign-in/operations/authentication/logout.ts';
import { refreshSession } from '../sign-in/operations/authentication/refresh-session.ts';
import { register } from '../sign-in/operations/authentication/register.ts';
import { requestEmailCode } from '../sign-in/operations/authentication/request-email-code.ts';
import { requestPasswordReset } from '../sign-in/operations/authentication/request-password-reset.ts';
import { resendVerification } from '../sign-in/operations/authentication/resend-verification.ts';
import { resetPassword } from '../sign-in/operations/authentication/reset-password.ts';
import { startRecovery } from '../sign-in/operations/authentication/start-recovery.ts';
import { verifyEmail } from '../sign-in/operations/authentication/verify-email.ts';
import { verifyEmailCode } from '../sign-in/operations/authentication/verify-email-code.ts';
import { createConnection } from '../sign-in/operations/connections/create-connection.ts';
import { deleteConnection } from '../sign-in/operations/connections/delete-connection.ts';
import { getConnection } from '../sign-in/operations/connections/get-connection.ts';
import { getConnectionEnforcement } from '../sign-in/operations/connections/get-connection-enforcement.ts';
import { getConnectionTest } from '../sign-in/operations/connections/get-connection-test.ts';
import { listConnectionTests } from '../sign-in/operations/connections/list-connection-tests.ts';
import { listConnections } from '../sign-in/operations/connections/list-connections.ts';
import { previewRoleMapping } from '../sign-in/operations/connections/preview-role-mapping.ts';
import { startConnectionTest } from '../sign-in/operations/connections/start-connection-test.ts';
import { updateConnection } from '../sign-in/operations/connections/update-connection.ts';
import { changePassword } from '../sign-in/operations/me/change-password.ts';
import { createMyAuthenticationMethod } from '../sign-in/operations/me/create-my-authentication-method.ts';
import { createSecondaryAccount } from '../sign-in/operations/me/create-secondary-account.ts';
import { deleteMyAccounts } from '../sign-in/operations/me/delete-my-accounts.ts';
import { deleteMyAuthenticationMethod } from '../sign-in/operations/me/delete-my-authentication-method.ts';
import { exportMyData } from '../sign-in/operations/me/export-my-data.ts';
import { getMe } from '../sign-in/operations/me/get-me.ts';
import { getMyInvitationMails } from '../sign-in/operations/me/get-my-invitation-mails.ts';
import { listMyAccounts } from '../sign-in/operations/me/list-my-accounts.ts';
import { listMyAuthenticationMethods } from '../sign-in/operations/me/list-my-authentication-methods.ts';
import { listMySessions } from '../sign-in/operations/me/list-my-sessions.ts';
import { logoutMe } from '../sign-in/operations/me/logout-me.ts';
import { revokeMySession } from '../sign-in/operations/me/revoke-my-session.ts';
import { setMyInvitationMails } from '../sign-in/operations/me/set-my-invitation-mails.ts';
import { setMyPrimaryAuthenticationMethod } from '../sign-in/operations/me/set-my-primary-authentication-method.ts';
import { updateMe } from '../sign-in/operations/me/update-me.ts';
import { uploadMyPicture } from '../sign-in/operations/me/upload-my-picture.ts';
import { listPlatformConnections } from '../sign-in/operations/platform-connections/list-platform-connections.ts';
import { blockUser } from '../sign-in/operations/platform/block-user.ts';
import { findPlatformUsers } from '../sign-in/operations/platform/find-platform-users.ts';
import { unblockUser } from '../sign-in/operations/platform/unblock-user.ts';
import { confirmSecondFactor } from '../sign-in/operations/second-factors/confirm-second-factor.ts';
import { createPasskey } from '../sign-in/operations/second-factors/create-passkey.ts';
import { deleteSecondFactor } from '../sign-in/operations/second-factors/delete-second-factor.ts';
import { enrollTotp } from '../sign-in/operations/second-factors/enroll-totp.ts';
import { getMySecondFactors } from '../sign-in/operations/second-factors/get-my-second-factors.ts';
import { getPasskeyCreationOptions } from '../sign-in/operations/second-factors/get-passkey-creation-options.ts';
import { renewRecoveryCodes } from '../sign-in/operations/second-factors/renew-recovery-codes.ts';
import { updateSecondFactor } from '../sign-in/operations/second-factors/update-second-factor.ts';
import { addSetUpDomain } from '../sign-in/operations/set-up/add-set-up-domain.ts';
import { createSetUpLink } from '../sign-in/operations/set-up/create-set-up-link.ts';
import { deleteSetUpLink } from '../sign-in/operations/set-up/delete-set-up-link.ts';
import { finishSetUp } from '../sign-in/operations/set-up/finish-set-up.ts';
import { getSetUp } from '../sign-in/operations/set-up/get-set-up.ts';
import { listSetUpLinks } from '../sign-in/operations/set-up/list-set-up-links.ts';
import { makeSetUpDirectory } from '../sign-in/operations/set-up/make-set-up-directory.ts';
import { redeemSetUpLink } from '../sign-in/operations/set-up/redeem-set-up-link.ts';
import { saveSetUpConnection } from '../sign-in/operations/set-up/save-set-up-connection.ts';
import { startSetUpTest } from '../sign-in/operations/set-up/start-set-up-test.ts';
import { verifySetUpDomain } from '../sign-in/operations/set-up/verify-set-up-domain.ts';

/** Everything that identity does for clients. */
export const operations = [
  getBranding,
  getPublicBranding,
  updateBranding,
  getClientDocuments,
  updateClientDocuments,
  createProjectApp,
  createProjectAppSecret,
  deleteProjectApp,
  deleteProjectAppSecret,
  getSignInCounts,
  listProjectApps,
  listProjectAppSecrets,
  createPlatformServiceAccountCredential,
  createPlatformServiceAccount,
  deletePlatformServiceAccountCredential,
  deletePlatformServiceAccount,
  getPlatformServiceAccount,
  listPlatformServiceAccounts,
  updatePlatformServiceAccount,
  createServiceAccountCredential,
  createServiceAccount,
  deleteServiceAccountCredential,
  deleteServiceAccount,
  getServiceAccount,
  listServiceAccounts,
  updateServiceAccount,
  updateProjectApp,
  allowAgent,
  allowMyAgent,
  deleteAgent,
  deleteMyAgent,
  listAgents,
  listMyAgents,
  deleteProjectAppConsent,
  deleteMyConsent,
  listProjectAppConsents,
  listMyConsents,
  continueInteraction,
  enterDeviceCode,
  getAppInfo,
  getInteraction,
  requestMagicLink,
  createSupportAccess,
  createSupportConsent,
  deleteSupportConsent,
  endMySupportAccess,
  exchangeSupportAccess,
  grantSupportAccess,
  listMySupportAccesses,
  listSupportAccesses,
  listSupportConsents,
  revokeSupportAccess,
  deleteMailText,
  getMailText,
  previewMailText,
  testMailText,
  updateMailText,
  importUsers,
  createUser,
  deleteUser,
  getUser,
  listUsers,
  updateUser,
  uploadUserPicture,
  confirmAddress,
  rejectRegistration,
  requestAddressCode,
  setInvitationMails,
  completeSecondFactor,
  confirmIdentity,
  discoverSignIn,
  exchangeCode,
  finishRecovery,
  getConfirmOptions,
  getPasskeyOptions,
  getSecondFactorOptions,
  getSignInOptions,
  login,
  loginWithPasskey,
  logout,
  refreshSession,
  register,
  requestEmailCode,
  requestPasswordReset,
  resendVerification,
  resetPassword,
  startRecovery,
  verifyEmail,
  verifyEmailCode,
  createConnection,
  deleteConnection,
  getConnection,
  getConnectionEnforcement,
  getConnectionTest,
  listConnectionTests,
  listConnections,
  previewRoleMapping,
  startConnectionTest,
  updateConnection,
  changePassword,
  createMyAuthenticationMethod,
  createSecondaryAccount,
  deleteMyAccounts,
  deleteMyAuthenticationMethod,
  exportMyData,
  getMe,
  getMyInvitationMails,
  listMyAccounts,
  listMyAuthenticationMethods,
  listMySessions,
  logoutMe,
  revokeMySession,
  setMyInvitationMails,
  setMyPrimaryAuthenticationMethod,
  updateMe,
  uploadMyPicture,
  listPlatformConnections,
  blockUser,
  findPlatformUsers,
  unblockUser,
  confirmSecondFactor,
  createPasskey,
  deleteSecondFactor,
  enrollTotp,
  getMySecondFactors,
  getPasskeyCreationOptions,
  renewRecoveryCodes,
  updateSecondFactor,
  addSetUpDomain,
  createSetUpLink,
  deleteSetUpLink,
  finishSetUp,
  getSetUp,
  listSetUpLinks,
  makeSetUpDirectory,
  redeemSetUpLink,
  saveSetUpConnection,
  startSetUpTest,
  verifySetUpDomain,
];
