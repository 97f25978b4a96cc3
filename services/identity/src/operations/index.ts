// Written by `npm run generate`: every file of this folder that declares an operation.
import { confirmAddress } from './address/confirm-address.ts';
import { rejectRegistration } from './address/reject-registration.ts';
import { requestAddressCode } from './address/request-address-code.ts';
import { completeSecondFactor } from './authentication/complete-second-factor.ts';
import { confirmIdentity } from './authentication/confirm-identity.ts';
import { exchangeCode } from './authentication/exchange-code.ts';
import { finishRecovery } from './authentication/finish-recovery.ts';
import { getConfirmOptions } from './authentication/get-confirm-options.ts';
import { getPasskeyOptions } from './authentication/get-passkey-options.ts';
import { getSecondFactorOptions } from './authentication/get-second-factor-options.ts';
import { getSignInOptions } from './authentication/get-sign-in-options.ts';
import { login } from './authentication/login.ts';
import { loginWithPasskey } from './authentication/login-with-passkey.ts';
import { logout } from './authentication/logout.ts';
import { refreshSession } from './authentication/refresh-session.ts';
import { register } from './authentication/register.ts';
import { requestPasswordReset } from './authentication/request-password-reset.ts';
import { resendVerification } from './authentication/resend-verification.ts';
import { resetPassword } from './authentication/reset-password.ts';
import { startRecovery } from './authentication/start-recovery.ts';
import { verifyEmail } from './authentication/verify-email.ts';
import { changePassword } from './me/change-password.ts';
import { createMyAuthenticationMethod } from './me/create-my-authentication-method.ts';
import { createSecondaryAccount } from './me/create-secondary-account.ts';
import { deleteMyAccounts } from './me/delete-my-accounts.ts';
import { deleteMyAuthenticationMethod } from './me/delete-my-authentication-method.ts';
import { deleteMyConsent } from './me/delete-my-consent.ts';
import { exportMyData } from './me/export-my-data.ts';
import { getMe } from './me/get-me.ts';
import { listMyAccounts } from './me/list-my-accounts.ts';
import { listMyAuthenticationMethods } from './me/list-my-authentication-methods.ts';
import { listMyConsents } from './me/list-my-consents.ts';
import { listMySessions } from './me/list-my-sessions.ts';
import { logoutMe } from './me/logout-me.ts';
import { revokeMySession } from './me/revoke-my-session.ts';
import { setMyPrimaryAuthenticationMethod } from './me/set-my-primary-authentication-method.ts';
import { updateMe } from './me/update-me.ts';
import { uploadMyPicture } from './me/upload-my-picture.ts';
import { continueInteraction } from './openid/continue-interaction.ts';
import { enterDeviceCode } from './openid/enter-device-code.ts';
import { getInteraction } from './openid/get-interaction.ts';
import { importUsers } from './platform/import-users.ts';
import { createProjectApp } from './project-apps/create-project-app.ts';
import { createProjectAppSecret } from './project-apps/create-secret.ts';
import { deleteProjectAppConsent } from './project-apps/delete-consent.ts';
import { deleteProjectApp } from './project-apps/delete-project-app.ts';
import { deleteProjectAppSecret } from './project-apps/delete-secret.ts';
import { getSignInCounts } from './project-apps/get-sign-in-counts.ts';
import { listProjectAppConsents } from './project-apps/list-consents.ts';
import { listProjectApps } from './project-apps/list-project-apps.ts';
import { listProjectAppSecrets } from './project-apps/list-secrets.ts';
import { updateProjectApp } from './project-apps/update-project-app.ts';
import { getAppInfo } from './project-oauth/get-app-info.ts';
import { requestMagicLink } from './project-oauth/request-magic-link.ts';
import { confirmSecondFactor } from './second-factors/confirm-second-factor.ts';
import { createPasskey } from './second-factors/create-passkey.ts';
import { deleteSecondFactor } from './second-factors/delete-second-factor.ts';
import { enrollTotp } from './second-factors/enroll-totp.ts';
import { getMySecondFactors } from './second-factors/get-my-second-factors.ts';
import { getPasskeyCreationOptions } from './second-factors/get-passkey-creation-options.ts';
import { renewRecoveryCodes } from './second-factors/renew-recovery-codes.ts';
import { updateSecondFactor } from './second-factors/update-second-factor.ts';
import { createUser } from './users/create-user.ts';
import { deleteUser } from './users/delete-user.ts';
import { getUser } from './users/get-user.ts';
import { listUsers } from './users/list-users.ts';
import { updateUser } from './users/update-user.ts';
import { uploadUserPicture } from './users/upload-user-picture.ts';

/** Everything that identity does for clients. */
export const operations = [
  confirmAddress,
  rejectRegistration,
  requestAddressCode,
  completeSecondFactor,
  confirmIdentity,
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
  requestPasswordReset,
  resendVerification,
  resetPassword,
  startRecovery,
  verifyEmail,
  changePassword,
  createMyAuthenticationMethod,
  createSecondaryAccount,
  deleteMyAccounts,
  deleteMyAuthenticationMethod,
  deleteMyConsent,
  exportMyData,
  getMe,
  listMyAccounts,
  listMyAuthenticationMethods,
  listMyConsents,
  listMySessions,
  logoutMe,
  revokeMySession,
  setMyPrimaryAuthenticationMethod,
  updateMe,
  uploadMyPicture,
  continueInteraction,
  enterDeviceCode,
  getInteraction,
  importUsers,
  createProjectApp,
  createProjectAppSecret,
  deleteProjectAppConsent,
  deleteProjectApp,
  deleteProjectAppSecret,
  getSignInCounts,
  listProjectAppConsents,
  listProjectApps,
  listProjectAppSecrets,
  updateProjectApp,
  getAppInfo,
  requestMagicLink,
  confirmSecondFactor,
  createPasskey,
  deleteSecondFactor,
  enrollTotp,
  getMySecondFactors,
  getPasskeyCreationOptions,
  renewRecoveryCodes,
  updateSecondFactor,
  createUser,
  deleteUser,
  getUser,
  listUsers,
  updateUser,
  uploadUserPicture,
];
