// Written by `npm run generate` from docs/openapi.json.
/** The codes of errors; they never change. */
export type ErrorCode = "BAD_USER_INPUT" | "VALIDATION_ERROR" | "UNAUTHENTICATED" | "FORBIDDEN" | "EMAIL_VERIFICATION_REQUIRED" | "SECOND_FACTOR_REQUIRED" | "FRESH_SIGN_IN_REQUIRED" | "NEW_PASSWORD_REQUIRED" | "CONNECTION_REQUIRED" | "ADDRESS_NOT_HELD" | "TENANT_SUSPENDED" | "NOT_FOUND" | "CONFLICT" | "QUOTA_EXCEEDED" | "PRECONDITION_FAILED" | "IDEMPOTENCY_KEY_REUSED" | "RATE_LIMIT_EXCEEDED" | "INTERNAL_ERROR" | "BAD_GATEWAY" | "SERVICE_UNAVAILABLE" | "SIGN_IN_BUSY" | "GATEWAY_TIMEOUT";

export interface Operations {
  /** Accept an invitation, as a new user or in a session of the account that its address belongs to (`POST /api/organization-invitations/accept`) */
  acceptInvitation: {
    input: { token: string; userData?: { name: string; password: string } | undefined };
    output: { requiresRegistration: boolean; isNewUser: boolean; user: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; pictureUrl: string | null; metadata: Record<string, unknown> } | null; accounts: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; type: "personal" | "organization"; ownerId: string }>; invitation: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; organizationId: string; email: string; name: string | null; roleId: string; status: "pending" | "accepted" | "expired" | "revoked"; invitedBy: string; invitedAt: string; expiresAt: string; acceptedAt: string | null; isMailed: boolean } };
  };
  /** Accept an offered project for the organization; only an Owner can. An offer by mail is taken with its token (`POST /api/project-grants/{id}/accept`) */
  acceptProjectGrant: {
    input: { id: string } & { scope: { tenant: "organization"; id: string }; token?: string | undefined };
    output: { id: string; projectId: string; organizationId: string | null; ownerOrganizationId: string; status: "offered" | "active" | "suspended" | "declined" | "ended"; roleIds: Array<string> | null; allowCustomRoles: boolean; maxMembers: number | null; metadata: Record<string, unknown>; reason: string | null; email: string | null; expiresAt: string | null; isMailed: boolean; createdAt: string; updatedAt: string; acceptedAt: string | null; endedAt: string | null; organization: { id: string; name: string; slug: string } | null; project: { id: string; name: string; slug: string }; ownerOrganization: { id: string; name: string; slug: string }; memberCount: number; roles: Array<{ id: string; name: string }> };
  };
  /** Claim a domain for the organization of a set-up link, ten at most; its TXT record proves it (`POST /api/set-up/{id}/domains`) */
  addSetUpDomain: {
    input: { id: string } & { domain: string };
    output: { id: string; domain: string; status: string; challenge: { name: string; value: string }; problem: string | null };
  };
  /** Allow an app again to act for a person, after the organization has ended that. What the person has ended stays ended (`POST /api/agents/{userId}/{clientId}/allow`) */
  allowAgent: {
    input: { userId: string; clientId: string } & { scope: { tenant: "organization"; id: string } };
    output: { success: boolean };
  };
  /** Let an app act for the caller again that the caller has ended (`POST /api/me/agents/{clientId}/allow`) */
  allowMyAgent: {
    input: { clientId: string };
    output: { success: boolean };
  };
  /** Give a member back into the hands of the directory: what it sent last is applied at once, and active false ends the membership (`POST /api/organization-members/{userId}/attach`) */
  attachMember: {
    input: { userId: string } & { scope: { tenant: "organization"; id: string } };
    output: { id: string; type: "member" | "invitation"; name: string | null; email: string | null; role: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; description: string | null; metadata: Record<string, unknown>; primaryTagId: string | null; isBuiltIn: boolean; rank: number | null } | null; metadata: Record<string, unknown>; isBlocked: boolean; blockedAt: string | null; directory: { isActive: boolean | null; isDetached: boolean; detachedAt: string | null } | null; status: "pending" | "accepted" | "expired" | "revoked" | null; user: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; pictureUrl: string | null; metadata: Record<string, unknown> } | null; invitation: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; organizationId: string; email: string; name: string | null; roleId: string; status: "pending" | "accepted" | "expired" | "revoked"; invitedBy: string; invitedAt: string; expiresAt: string; acceptedAt: string | null; isMailed: boolean } | null; createdAt: string; updatedAt: string; deletedAt: string | null; version?: string };
  };
  /** Shut a member out of the organization, its projects and those that it uses, from their next request on (`POST /api/organization-members/{userId}/block`) */
  blockMember: {
    input: { userId: string } & { scope: { tenant: "organization"; id: string }; reason?: string | undefined };
    output: { id: string; type: "member" | "invitation"; name: string | null; email: string | null; role: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; description: string | null; metadata: Record<string, unknown>; primaryTagId: string | null; isBuiltIn: boolean; rank: number | null } | null; metadata: Record<string, unknown>; isBlocked: boolean; blockedAt: string | null; directory: { isActive: boolean | null; isDetached: boolean; detachedAt: string | null } | null; status: "pending" | "accepted" | "expired" | "revoked" | null; user: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; pictureUrl: string | null; metadata: Record<string, unknown> } | null; invitation: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; organizationId: string; email: string; name: string | null; roleId: string; status: "pending" | "accepted" | "expired" | "revoked"; invitedBy: string; invitedAt: string; expiresAt: string; acceptedAt: string | null; isMailed: boolean } | null; createdAt: string; updatedAt: string; deletedAt: string | null; version?: string };
  };
  /** Block a person: sessions, keys, apps and decisions refuse them everywhere, and no sign-in succeeds (`POST /api/platform/users/{id}/block`) */
  blockUser: {
    input: { id: string } & { reason?: string | undefined };
    output: { id: string; name: string; email: string | null; isPlatformAdministrator: boolean; isBlocked: boolean; blockedAt: string | null; blockReason: string | null; createdAt: string; updatedAt: string };
  };
  /** Change one’s password; ends the other sessions (`POST /api/me/change-password`) */
  changePassword: {
    input: { currentPassword: string; newPassword: string; confirmPassword: string };
    output: { success: boolean };
  };
  /** End a sign-in with its second factor (`POST /api/auth/second-factor`) */
  completeSecondFactor: {
    input: { token: string; method: "totp" | "passkey" | "recoveryCode"; code?: string | undefined; credential?: Record<string, unknown> | undefined };
    output: { accessToken?: string; refreshToken?: string; accounts?: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; type: "personal" | "organization"; ownerId: string }>; requiresEmailVerification?: boolean; secondFactor?: { token: string; methods: Array<"totp" | "passkey" | "recoveryCode"> }; redirectTo?: string };
  };
  /** Confirm the caller’s address with the code from the mail: from then on the account holds it (`POST /api/me/address-code/confirm`) */
  confirmAddress: {
    input: { code: string };
    output: { success: boolean };
  };
  /** Prove that it is still you, or raise the level of the session; the session stays (`POST /api/auth/confirm`) */
  confirmIdentity: {
    input: { method: "password" | "totp" | "passkey" | "recoveryCode" | "provider"; password?: string | undefined; code?: string | undefined; credential?: Record<string, unknown> | undefined };
    output: { accessToken: string };
  };
  /** Confirm an authenticator app with a code; ends the other sessions (`POST /api/me/second-factors/{id}/confirm`) */
  confirmSecondFactor: {
    input: { id: string } & { code: string };
    output: { factor: { id: string; kind: "totp" | "passkey" | "recoveryCodes"; name: string; isConfirmed: boolean; createdAt: string; updatedAt: string; lastUsedAt: string | null; remaining?: number | null }; recoveryCodes?: Array<string> };
  };
  /** Answer what a hosted page asked: go on, consent, or refuse (`POST /api/auth/interactions/{id}`) */
  continueInteraction: {
    input: { id: string } & { action: "continue" | "consent" | "deny"; scopes?: Array<string> | undefined; organizationId?: string | undefined; organizationName?: string | undefined; endGranted?: boolean | undefined };
    output: { redirectTo: string };
  };
  /** Create an API key for a project, or for one user of it; its secret is shown here and never again (`POST /api/api-keys`) */
  createApiKey: {
    input: { scope: { tenant: "accountProject" | "organizationProject" | "accountProjectUser" | "organizationProjectUser"; id: string }; name: string; description?: string | null | undefined; expiresAt?: string | null | undefined; roleId?: string | null | undefined };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; clientId: string; name: string; description: string | null; roleId: string | null; expiresAt: string | null; lastUsedAt: string | null; isRevoked: boolean; revokedAt: string | null; revokedBy: string | null; createdBy: string; parentKeyId: string | null; clientSecret: string };
  };
  /** Add an identity provider of the organization (OpenID Connect or SAML 2.0) as a draft; people can sign in by it once its status is active (`POST /api/connections`) */
  createConnection: {
    input: { scope: { tenant: "organization"; id: string }; name: string; defaultRoleId: string; type: "oidc" | "saml"; oidc?: { issuer: string; clientId: string; clientSecret: string; scopes?: Array<string> | undefined } | undefined; saml?: { metadataUrl?: string | undefined; metadataXml?: string | undefined } | undefined };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; type: "oidc" | "saml"; name: string; status: "draft" | "active" | "disabled"; oidc: { issuer: string; clientId: string; scopes: Array<string> } | null; saml: { metadataUrl: string | null; entityId: string; ssoUrl: string; certificates: Array<{ fingerprint: string; endsAt: string }> } | null; defaultRoleId: string; roleMapping: Array<{ claim: string; value: string; roleId: string; grantId: string | null }>; isEnforced: boolean; breakGlassUserIds: Array<string>; enforcedAt: string | null; linkOnProvenDomain: boolean; trustedAcr: Array<string>; callbackUrl: string | null; backchannelLogoutUrl: string | null; spEntityId: string | null; acsUrl: string | null; spMetadataUrl: string | null; signInUrl: string; createdBy: string; lastUsedAt: string | null; testedAt: string | null };
  };
  /** Make an organization that uses a project from the start, and invite its first Owner; with an externalId it is made once (`POST /api/organizations/{id}/customers`) */
  createCustomer: {
    input: { id: string } & { name: string; owner: { email: string; name?: string | undefined; invite?: boolean | undefined }; externalId?: string | undefined; projectId: string; roleIds?: Array<string> | null | undefined; metadata?: Record<string, unknown> | undefined };
    output: { organization: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; slug: string; metadata: Record<string, unknown>; security: { requireSecondFactor: boolean; maxSessionAgeMinutes: number | null; allowEmailCode: boolean } }; invitation: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; organizationId: string; email: string; name: string | null; roleId: string; status: "pending" | "accepted" | "expired" | "revoked"; invitedBy: string; invitedAt: string; expiresAt: string; acceptedAt: string | null; isMailed: boolean } | null; grant: { id: string; projectId: string; organizationId: string | null; ownerOrganizationId: string; status: "offered" | "active" | "suspended" | "declined" | "ended"; roleIds: Array<string> | null; allowCustomRoles: boolean; maxMembers: number | null; metadata: Record<string, unknown>; reason: string | null; email: string | null; expiresAt: string | null; isMailed: boolean; createdAt: string; updatedAt: string; acceptedAt: string | null; endedAt: string | null; organization: { id: string; name: string; slug: string } | null; project: { id: string; name: string; slug: string }; ownerOrganization: { id: string; name: string; slug: string }; memberCount: number; roles: Array<{ id: string; name: string }> } };
  };
  /** Claim a domain: publish its TXT record, then verify it. A claim alone gives no right, and other organizations may claim the domain too (`POST /api/domains`) */
  createDomain: {
    input: { scope: { tenant: "organization"; id: string }; domain: string };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; domain: string; status: "pending" | "verified" | "failing" | "lost"; challenge: { name: string; value: string }; verifiedAt: string | null; checkedAt: string | null; failingSince: string | null; lostAt: string | null; problem: "record_missing" | "record_differs" | "dns_failed" | "claimed_elsewhere" | null };
  };
  /** Creates a group with the permissions that it bundles. (`POST /api/groups`) */
  createGroup: {
    input: { scope: { tenant: "organization" | "accountProject" | "organizationProject"; id: string }; name: string; description?: string | null | undefined; metadata?: Record<string, unknown> | undefined; permissionIds?: Array<string> | undefined; tagIds?: Array<string> | undefined; primaryTagId?: string | null | undefined };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; description: string | null; isShared: boolean; metadata: Record<string, unknown>; primaryTagId: string | null; roleId: string | null };
  };
  /** Add an email address with a password as a way to sign in (`POST /api/me/authentication-methods`) */
  createMyAuthenticationMethod: {
    input: { provider: "email"; providerId: string; providerData: { password: string } };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; userId: string; provider: string; providerId: string | null; isVerified: boolean; isHeld: boolean; isPrimary: boolean; lastUsedAt: string | null };
  };
  /** Create an organization; the creator becomes its Owner, and of a service account the owner of its account (`POST /api/organizations`) */
  createOrganization: {
    input: { scope: { tenant: "account"; id: string }; name: string; metadata?: Record<string, unknown> | undefined };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; slug: string; metadata: Record<string, unknown>; security: { requireSecondFactor: boolean; maxSessionAgeMinutes: number | null; allowEmailCode: boolean } };
  };
  /** Add a passkey that the browser has made; ends the other sessions (`POST /api/me/passkeys`) */
  createPasskey: {
    input: { name?: string | undefined; credential: Record<string, unknown> };
    output: { factor: { id: string; kind: "totp" | "passkey" | "recoveryCodes"; name: string; isConfirmed: boolean; createdAt: string; updatedAt: string; lastUsedAt: string | null; remaining?: number | null }; recoveryCodes?: Array<string> };
  };
  /** Creates a permission: one action of one resource, under a condition if there is one. (`POST /api/permissions`) */
  createPermission: {
    input: { scope: { tenant: "organization" | "accountProject" | "organizationProject"; id: string }; name: string; description?: string | null | undefined; action: string; resourceId: string; condition?: Record<string, unknown> | null | undefined; tagIds?: Array<string> | undefined; primaryTagId?: string | null | undefined };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; description: string | null; isShared: boolean; resourceId: string; action: string; condition: Record<string, unknown> | null; primaryTagId: string | null };
  };
  /** Make an organization, invite its first Owner, and let it use projects; with an externalId it is made once (`POST /api/platform/organizations`) */
  createPlatformOrganization: {
    input: { name: string; owner: { email: string; name?: string | undefined; invite?: boolean | undefined }; externalId?: string | undefined; grants?: Array<{ projectId: string; roleIds?: Array<string> | null | undefined; metadata?: Record<string, unknown> | undefined }> | undefined; quotas?: { members?: number | null | undefined; projects?: number | null | undefined; apiKeys?: number | null | undefined; requestsPerMinute?: number | null | undefined } | undefined };
    output: { organization: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; slug: string; metadata: Record<string, unknown>; security: { requireSecondFactor: boolean; maxSessionAgeMinutes: number | null; allowEmailCode: boolean } }; invitation: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; organizationId: string; email: string; name: string | null; roleId: string; status: "pending" | "accepted" | "expired" | "revoked"; invitedBy: string; invitedAt: string; expiresAt: string; acceptedAt: string | null; isMailed: boolean } | null; grants: Array<{ id: string; projectId: string; organizationId: string | null; ownerOrganizationId: string; status: "offered" | "active" | "suspended" | "declined" | "ended"; roleIds: Array<string> | null; allowCustomRoles: boolean; maxMembers: number | null; metadata: Record<string, unknown>; reason: string | null; email: string | null; expiresAt: string | null; isMailed: boolean; createdAt: string; updatedAt: string; acceptedAt: string | null; endedAt: string | null; organization: { id: string; name: string; slug: string } | null; project: { id: string; name: string; slug: string }; ownerOrganization: { id: string; name: string; slug: string }; memberCount: number; roles: Array<{ id: string; name: string }> }> };
  };
  /** Make an account for a machine that makes organizations, restricts and lists them; it sees nothing inside them (`POST /api/platform/service-accounts`) */
  createPlatformServiceAccount: {
    input: { name: string; description?: string | null | undefined; roleIds?: Array<"Provisioner"> | undefined; allowedNetworks?: Array<string> | undefined };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; clientId: string; name: string; description: string | null; roleIds: Array<"Provisioner">; elevated: Array<string>; allowedNetworks: Array<string>; credentials: Array<{ id: string; type: "secret" | "directory" | "jwks" | "trust"; lastFour: string | null; jwks: { keys: Array<Record<string, unknown>> } | null; jwksUri: string | null; issuer: string | null; audience: string | null; claims: Record<string, unknown> | null; createdBy: string; createdAt: string; expiresAt: string | null; lastUsedAt: string | null; lastUsedFrom: string | null }>; createdBy: string; isSuspended: boolean; lastUsedAt: string | null; lastUsedFrom: string | null; lastUsedCredentialId: string | null };
  };
  /** Add a credential to a service account of the platform, as to one of an organization: a secret, its public keys, or trust. Four at most (`POST /api/platform/service-accounts/{id}/credentials`) */
  createPlatformServiceAccountCredential: {
    input: { id: string } & { type: "secret" | "directory" | "jwks" | "trust"; jwks?: { keys: Array<Record<string, unknown>> } | undefined; jwksUri?: string | undefined; issuer?: string | undefined; audience?: string | undefined; claims?: Record<string, unknown> | undefined; expiresAt?: string | undefined };
    output: { id: string; type: "secret" | "directory" | "jwks" | "trust"; lastFour: string | null; jwks: { keys: Array<Record<string, unknown>> } | null; jwksUri: string | null; issuer: string | null; audience: string | null; claims: Record<string, unknown> | null; createdBy: string; createdAt: string; expiresAt: string | null; lastUsedAt: string | null; lastUsedFrom: string | null; clientId: string; clientSecret?: string };
  };
  /** Create a project in an account or an organization (`POST /api/projects`) */
  createProject: {
    input: { scope: { tenant: "account" | "organization"; id: string }; name: string; description?: string | null | undefined; metadata?: Record<string, unknown> | undefined; tagIds?: Array<string> | undefined; primaryTagId?: string | null | undefined };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; slug: string; description: string | null; metadata: Record<string, unknown>; primaryTagId: string | null };
  };
  /** Register an app that people of a project can sign in to (`POST /api/project-apps`) */
  createProjectApp: {
    input: { scope: { tenant: "accountProject" | "organizationProject"; id: string }; name: string; type?: "web" | "spa" | "native" | "machine" | undefined; redirectUris?: Array<string> | undefined; scopes?: Array<string> | undefined; enabledProviders?: Array<string> | null | undefined; allowSignUp?: boolean | undefined; signUpRoleId?: string | null | undefined; tokenEndpointAuthMethod?: "client_secret_basic" | "client_secret_post" | "private_key_jwt" | "none" | undefined; jwks?: { keys: Array<Record<string, unknown>> } | null | undefined; jwksUri?: string | null | undefined; postLogoutRedirectUris?: Array<string> | undefined; backchannelLogoutUri?: string | null | undefined; grantTypes?: Array<"authorization_code" | "refresh_token" | "client_credentials" | "urn:ietf:params:oauth:grant-type:device_code" | "urn:ietf:params:oauth:grant-type:token-exchange"> | undefined; roleId?: string | null | undefined; isFirstParty?: boolean | undefined; requireSecondFactor?: boolean | undefined; requirePkce?: boolean | undefined; actsInGrants?: boolean | undefined; allowOrganizationSignUp?: boolean | undefined; allowEmailCode?: boolean | undefined; dpopBoundAccessTokens?: boolean | undefined; idTokenSignedResponseAlg?: "RS256" | "ES256" | undefined; mayAct?: Array<string> | undefined; claims?: Array<{ name: string; source: string; in: "idToken" | "userinfo" | "accessToken" }> | undefined; tagIds?: Array<string> | undefined; primaryTagId?: string | null | undefined };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; projectId: string; clientId: string; documentUrl: string | null; name: string; redirectUris: Array<string>; scopes: Array<string>; enabledProviders: Array<string>; allowSignUp: boolean; signUpRoleId: string | null; type: "web" | "spa" | "native" | "machine" | null; tokenEndpointAuthMethod: "client_secret_basic" | "client_secret_post" | "private_key_jwt" | "none" | null; jwks: { keys: Array<Record<string, unknown>> } | null; jwksUri: string | null; postLogoutRedirectUris: Array<string>; backchannelLogoutUri: string | null; grantTypes: Array<"authorization_code" | "refresh_token" | "client_credentials" | "urn:ietf:params:oauth:grant-type:device_code" | "urn:ietf:params:oauth:grant-type:token-exchange">; roleId: string | null; isFirstParty: boolean; requireSecondFactor: boolean; requirePkce: boolean; actsInGrants: boolean; allowOrganizationSignUp: boolean; allowEmailCode: boolean; dpopBoundAccessTokens: boolean; idTokenSignedResponseAlg: "RS256" | "ES256"; mayAct: Array<string>; claims: Array<{ name: string; source: string; in: "idToken" | "userinfo" | "accessToken" }>; leftOutClaims: { names: Array<string>; at: string } | null; clientSecret?: string };
  };
  /** Add a client secret, shown here and never again; two may be valid while one replaces the other (`POST /api/project-apps/{id}/secrets`) */
  createProjectAppSecret: {
    input: { id: string } & { scope: { tenant: "accountProject" | "organizationProject"; id: string } };
    output: { id: string; lastFour: string; createdAt: string; lastUsedAt: string | null; clientSecret: string };
  };
  /** Offer a project to another organization, by its id or by the address of an Owner; it is used once an Owner there has accepted (`POST /api/project-grants`) */
  createProjectGrant: {
    input: { scope: { tenant: "organizationProject"; id: string }; organizationId?: string | undefined; email?: string | undefined; roleIds?: Array<string> | null | undefined; allowCustomRoles?: boolean | undefined; maxMembers?: number | null | undefined; metadata?: Record<string, unknown> | undefined };
    output: { id: string; projectId: string; organizationId: string | null; ownerOrganizationId: string; status: "offered" | "active" | "suspended" | "declined" | "ended"; roleIds: Array<string> | null; allowCustomRoles: boolean; maxMembers: number | null; metadata: Record<string, unknown>; reason: string | null; email: string | null; expiresAt: string | null; isMailed: boolean; createdAt: string; updatedAt: string; acceptedAt: string | null; endedAt: string | null; organization: { id: string; name: string; slug: string } | null; project: { id: string; name: string; slug: string }; ownerOrganization: { id: string; name: string; slug: string }; memberCount: number; roles: Array<{ id: string; name: string }> };
  };
  /** Creates a resource of a project and, if wanted, one permission for each of its actions. (`POST /api/resources`) */
  createResource: {
    input: { scope: { tenant: "accountProject" | "organizationProject"; id: string }; name: string; slug?: string | undefined; description?: string | null | undefined; actions?: Array<string> | undefined; isActive?: boolean | undefined; identifier?: string | null | undefined; createPermissions?: boolean | undefined; tagIds?: Array<string> | undefined; primaryTagId?: string | null | undefined };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; description: string | null; isShared: boolean; slug: string; actions: Array<string>; isActive: boolean; isBuiltIn: boolean; identifier: string | null; primaryTagId: string | null; permissions?: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; description: string | null; isShared: boolean; resourceId: string; action: string; condition: Record<string, unknown> | null; primaryTagId: string | null }> };
  };
  /** Creates a role in an organization or a project, with the groups and the actions that it gives. (`POST /api/roles`) */
  createRole: {
    input: { scope: { tenant: "organization" | "accountProject" | "organizationProject"; id: string }; name: string; description?: string | null | undefined; metadata?: Record<string, unknown> | undefined; isGrantable?: boolean | undefined; groupIds?: Array<string> | undefined; permissions?: Array<{ resourceId: string; actions: Array<string> }> | undefined; tagIds?: Array<string> | undefined; primaryTagId?: string | null | undefined };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; description: string | null; isShared: boolean; metadata: Record<string, unknown>; isBuiltIn: boolean; rank: number | null; isGrantable: boolean; primaryTagId: string | null };
  };
  /** Make the account type that the caller does not have yet (`POST /api/me/accounts`) */
  createSecondaryAccount: {
    input: Record<never, never>;
    output: { account: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; type: "personal" | "organization"; ownerId: string }; accounts: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; type: "personal" | "organization"; ownerId: string }> };
  };
  /** Make an account for a machine that acts for the organization or account, with roles of its own; it belongs to them, not to its maker (`POST /api/service-accounts`) */
  createServiceAccount: {
    input: { scope: { tenant: "organization" | "account"; id: string }; name: string; roleIds: Array<string>; description?: string | null | undefined; elevated?: Array<"ApiKey:Create" | "Connection:Create" | "Connection:Update" | "ProjectGrant:Delete" | "ProjectGrant:Update" | "ServiceAccount:Create" | "ServiceAccount:Update"> | undefined; allowedNetworks?: Array<string> | undefined };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; clientId: string; name: string; description: string | null; roleIds: Array<string>; elevated: Array<string>; allowedNetworks: Array<string>; credentials: Array<{ id: string; type: "secret" | "directory" | "jwks" | "trust"; lastFour: string | null; jwks: { keys: Array<Record<string, unknown>> } | null; jwksUri: string | null; issuer: string | null; audience: string | null; claims: Record<string, unknown> | null; createdBy: string; createdAt: string; expiresAt: string | null; lastUsedAt: string | null; lastUsedFrom: string | null }>; createdBy: string; isSuspended: boolean; lastUsedAt: string | null; lastUsedFrom: string | null; lastUsedCredentialId: string | null };
  };
  /** Add a credential to a service account: a secret or a token for SCIM (shown here and never again), its public keys, or trust in an outer issuer. Four at most (`POST /api/service-accounts/{id}/credentials`) */
  createServiceAccountCredential: {
    input: { id: string } & { scope: { tenant: "organization" | "account"; id: string }; type: "secret" | "directory" | "jwks" | "trust"; jwks?: { keys: Array<Record<string, unknown>> } | undefined; jwksUri?: string | undefined; issuer?: string | undefined; audience?: string | undefined; claims?: Record<string, unknown> | undefined; expiresAt?: string | undefined };
    output: { id: string; type: "secret" | "directory" | "jwks" | "trust"; lastFour: string | null; jwks: { keys: Array<Record<string, unknown>> } | null; jwksUri: string | null; issuer: string | null; audience: string | null; claims: Record<string, unknown> | null; createdBy: string; createdAt: string; expiresAt: string | null; lastUsedAt: string | null; lastUsedFrom: string | null; clientId: string; clientSecret?: string };
  };
  /** Make a link by which the IT of the organization proves its domains and enters its identity provider, without an account. It works in one browser, for seven days (`POST /api/connections/set-up-links`) */
  createSetUpLink: {
    input: { scope: { tenant: "organization"; id: string }; email?: string | undefined; allowsDirectory?: boolean | undefined };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; state: "open" | "begun" | "finished" | "revoked" | "expired" | "ended"; email: string | null; createdBy: string; allowsDirectory: boolean; expiresAt: string; begunAt: string | null; begunFrom: string | null; finishedAt: string | null; revokedAt: string | null; connectionId: string | null; directoryAccountId: string | null; url: string };
  };
  /** Ask to act as a person of an organization that uses the project; nothing happens until the organization allows it (`POST /api/support-access`) */
  createSupportAccess: {
    input: { scope: { tenant: "organizationProject"; id: string }; organizationId: string; userId: string; reason: string; minutes?: number | undefined };
    output: { id: string; supporter: { id: string; name: string | null; email: string | null }; user: { id: string; name: string | null }; organization: { id: string; name: string | null }; project: { id: string; name: string | null; scope: { tenant: string; id: string } }; reason: string; minutes: number; status: "requested" | "allowed" | "active" | "refused" | "ended"; requestedAt: string; decidedBy: string | null; decidedAt: string | null; mayWrite: boolean; mayExport: boolean; startedAt: string | null; endsAt: string; endedAt: string | null; endedBy: "supporter" | "person" | "organization" | "consent" | "session" | "rights" | "membership" | "grant" | "time" | null; lastActions: Array<{ action: string; outcome: string; at: string }> };
  };
  /** Let supporters of a project that the organization uses begin without asking, for some days; never as an Owner. Replaces the one before (`POST /api/support-consents`) */
  createSupportConsent: {
    input: { scope: { tenant: "organization"; id: string }; ownerOrganizationId: string; projectId: string; days: number; mayWrite?: boolean | undefined; mayExport?: boolean | undefined };
    output: { id: string; project: { id: string; name: string | null; scope: { tenant: string; id: string } }; mayWrite: boolean; mayExport: boolean; givenBy: { id: string; name: string | null }; givenAt: string; endsAt: string };
  };
  /** Creates a tag that the entities of the scope can carry. (`POST /api/tags`) */
  createTag: {
    input: { scope: { tenant: "account" | "organization" | "accountProject" | "organizationProject"; id: string }; name: string; color: "purple" | "indigo" | "blue" | "cyan" | "teal" | "emerald" | "sky" | "violet" | "rose" | "pink" | "fuchsia" | "gray" | "red" | "orange" | "amber" | "yellow" | "lime" | "green" };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; color: string };
  };
  /** Make a person within an organization or a project; they have no way to sign in until they link one (`POST /api/users`) */
  createUser: {
    input: { scope: { tenant: "organization" | "accountProject" | "organizationProject"; id: string }; name: string; metadata?: Record<string, unknown> | undefined; roleIds?: Array<string> | undefined; tagIds?: Array<string> | undefined; primaryTagId?: string | null | undefined };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; pictureUrl: string | null; metadata: Record<string, unknown>; primaryTagId: string | null; memberMetadata?: Record<string, unknown> };
  };
  /** Tell an address what happens in a scope, as the log tells it (needs AuditEvent:Query too); the secret is shown here alone (`POST /api/webhooks`) */
  createWebhook: {
    input: { scope: { tenant: "organization" | "accountProject" | "organizationProject"; id: string }; url: string; eventTypes: Array<string>; outcomes?: Array<"ok" | "refused" | "failed"> | undefined; description?: string | undefined; isActive?: boolean | undefined };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; url: string; eventTypes: Array<string>; outcomes: Array<"ok" | "refused" | "failed">; description: string; isActive: boolean; disabledAt: string | null; failingSince: string | null; createdBy: string; voucher: { type: "session" | "apiKey" | "app" | "serviceAccount"; userId: string | null; apiKeyId: string | null; appId: string | null; at: string; endedAt: string | null; until: string | null } | null; secret: string };
  };
  /** A new secret, shown here and never again; for a day deliveries are signed with the one before as well (`POST /api/webhooks/{id}/secrets`) */
  createWebhookSecret: {
    input: { id: string } & { scope: { tenant: "organization" | "accountProject" | "organizationProject"; id: string } };
    output: { id: string; secret: string; olderUntil: string | null };
  };
  /** Decline an offered project; an offer by mail with its token (`POST /api/project-grants/{id}/decline`) */
  declineProjectGrant: {
    input: { id: string } & { scope: { tenant: "organization"; id: string }; token?: string | undefined };
    output: { id: string; projectId: string; organizationId: string | null; ownerOrganizationId: string; status: "offered" | "active" | "suspended" | "declined" | "ended"; roleIds: Array<string> | null; allowCustomRoles: boolean; maxMembers: number | null; metadata: Record<string, unknown>; reason: string | null; email: string | null; expiresAt: string | null; isMailed: boolean; createdAt: string; updatedAt: string; acceptedAt: string | null; endedAt: string | null; organization: { id: string; name: string; slug: string } | null; project: { id: string; name: string; slug: string }; ownerOrganization: { id: string; name: string; slug: string }; memberCount: number; roles: Array<{ id: string; name: string }> };
  };
  /** End what an app may do for a person in an organization; its tokens end at once, and sign-ins to it are refused (`DELETE /api/agents/{userId}/{clientId}`) */
  deleteAgent: {
    input: { userId: string; clientId: string; scope: { tenant: "organization"; id: string } };
    output: { success: boolean };
  };
  /** Delete an API key; what it was exchanged for, and the keys made with it, stop working at once (`DELETE /api/api-keys/{id}`) */
  deleteApiKey: {
    input: { id: string; hardDelete?: boolean | undefined; scope: { tenant: "accountProject" | "organizationProject" | "accountProjectUser" | "organizationProjectUser"; id: string } };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; clientId: string; name: string; description: string | null; roleId: string | null; expiresAt: string | null; lastUsedAt: string | null; isRevoked: boolean; revokedAt: string | null; revokedBy: string | null; createdBy: string; parentKeyId: string | null };
  };
  /** Delete an identity provider of the organization; the sessions that came by it end, the members stay (`DELETE /api/connections/{id}`) */
  deleteConnection: {
    input: { id: string; scope: { tenant: "organization"; id: string } };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; type: "oidc" | "saml"; name: string; status: "draft" | "active" | "disabled"; oidc: { issuer: string; clientId: string; scopes: Array<string> } | null; saml: { metadataUrl: string | null; entityId: string; ssoUrl: string; certificates: Array<{ fingerprint: string; endsAt: string }> } | null; defaultRoleId: string; roleMapping: Array<{ claim: string; value: string; roleId: string; grantId: string | null }>; isEnforced: boolean; breakGlassUserIds: Array<string>; enforcedAt: string | null; linkOnProvenDomain: boolean; trustedAcr: Array<string>; callbackUrl: string | null; backchannelLogoutUrl: string | null; spEntityId: string | null; acsUrl: string | null; spMetadataUrl: string | null; signInUrl: string; createdBy: string; lastUsedAt: string | null; testedAt: string | null };
  };
  /** Give a domain up; another organization may prove it from then on (`DELETE /api/domains/{id}`) */
  deleteDomain: {
    input: { id: string; scope: { tenant: "organization"; id: string } };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; domain: string; status: "pending" | "verified" | "failing" | "lost"; challenge: { name: string; value: string }; verifiedAt: string | null; checkedAt: string | null; failingSince: string | null; lostAt: string | null; problem: "record_missing" | "record_differs" | "dns_failed" | "claimed_elsewhere" | null };
  };
  /** Deletes a group; the roles that had it lose what it gave. (`DELETE /api/groups/{id}`) */
  deleteGroup: {
    input: { id: string; hardDelete?: boolean | undefined; scope: { tenant: "organization" | "accountProject" | "organizationProject"; id: string } };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; description: string | null; isShared: boolean; metadata: Record<string, unknown>; primaryTagId: string | null; roleId: string | null };
  };
  /** Return to the standard text of a mail (`DELETE /api/mail-texts/{template}/{language}`) */
  deleteMailText: {
    input: { template: "verify-email" | "reset-password" | "magic-link" | "invitation" | "grant-offer"; language: "en" | "de" | "es" | "fr"; scope: { tenant: "organization"; id: string } };
    output: { template: string; language: string; subject: string; body: string; variables: Array<string>; requiredVariables: Array<string>; isDefault: boolean; updatedAt: string | null };
  };
  /** Delete the caller’s accounts and the caller (`DELETE /api/me/accounts`) */
  deleteMyAccounts: {
    input: { hardDelete?: boolean | undefined };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; pictureUrl: string | null; metadata: Record<string, unknown> };
  };
  /** End what an app may do for the caller, everywhere; its tokens end at once (`DELETE /api/me/agents/{clientId}`) */
  deleteMyAgent: {
    input: { clientId: string };
    output: { success: boolean };
  };
  /** Remove a method, neither the primary one nor the last one; ends the other sessions that it opened (`DELETE /api/me/authentication-methods/{id}`) */
  deleteMyAuthenticationMethod: {
    input: { id: string };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; userId: string; provider: string; providerId: string | null; isVerified: boolean; isHeld: boolean; isPrimary: boolean; lastUsedAt: string | null };
  };
  /** Withdraw what the caller allowed an app; the tokens that it gave end at once (`DELETE /api/me/consents/{clientId}`) */
  deleteMyConsent: {
    input: { clientId: string };
    output: { success: boolean };
  };
  /** Delete an organization with everything in it: projects, memberships, invitations, roles, keys and apps (`DELETE /api/organizations/{id}`) */
  deleteOrganization: {
    input: { id: string; hardDelete?: boolean | undefined; scope: { tenant: "account" | "organization"; id: string } };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; slug: string; metadata: Record<string, unknown>; security: { requireSecondFactor: boolean; maxSessionAgeMinutes: number | null; allowEmailCode: boolean } };
  };
  /** Deletes a permission; the groups that had it give it no more. (`DELETE /api/permissions/{id}`) */
  deletePermission: {
    input: { id: string; hardDelete?: boolean | undefined; scope: { tenant: "organization" | "accountProject" | "organizationProject"; id: string } };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; description: string | null; isShared: boolean; resourceId: string; action: string; condition: Record<string, unknown> | null; primaryTagId: string | null };
  };
  /** Delete a service account of the platform; its tokens end at once, and the organizations that it made stay (`DELETE /api/platform/service-accounts/{id}`) */
  deletePlatformServiceAccount: {
    input: { id: string };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; clientId: string; name: string; description: string | null; roleIds: Array<"Provisioner">; elevated: Array<string>; allowedNetworks: Array<string>; credentials: Array<{ id: string; type: "secret" | "directory" | "jwks" | "trust"; lastFour: string | null; jwks: { keys: Array<Record<string, unknown>> } | null; jwksUri: string | null; issuer: string | null; audience: string | null; claims: Record<string, unknown> | null; createdBy: string; createdAt: string; expiresAt: string | null; lastUsedAt: string | null; lastUsedFrom: string | null }>; createdBy: string; isSuspended: boolean; lastUsedAt: string | null; lastUsedFrom: string | null; lastUsedCredentialId: string | null };
  };
  /** Remove a credential of a service account of the platform; the tokens that it got end at once (`DELETE /api/platform/service-accounts/{id}/credentials/{credentialId}`) */
  deletePlatformServiceAccountCredential: {
    input: { id: string; credentialId: string };
    output: { id: string; type: "secret" | "directory" | "jwks" | "trust"; lastFour: string | null; jwks: { keys: Array<Record<string, unknown>> } | null; jwksUri: string | null; issuer: string | null; audience: string | null; claims: Record<string, unknown> | null; createdBy: string; createdAt: string; expiresAt: string | null; lastUsedAt: string | null; lastUsedFrom: string | null };
  };
  /** Delete a project with everything in it: users, roles, resources, keys, apps and their tokens (`DELETE /api/projects/{id}`) */
  deleteProject: {
    input: { id: string; hardDelete?: boolean | undefined; scope: { tenant: "account" | "organization"; id: string } };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; slug: string; description: string | null; metadata: Record<string, unknown>; primaryTagId: string | null };
  };
  /** Remove an app; sign-ins to it are refused, and its tokens end at once (`DELETE /api/project-apps/{id}`) */
  deleteProjectApp: {
    input: { id: string; hardDelete?: boolean | undefined; scope: { tenant: "accountProject" | "organizationProject"; id: string } };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; projectId: string; clientId: string; documentUrl: string | null; name: string; redirectUris: Array<string>; scopes: Array<string>; enabledProviders: Array<string>; allowSignUp: boolean; signUpRoleId: string | null; type: "web" | "spa" | "native" | "machine" | null; tokenEndpointAuthMethod: "client_secret_basic" | "client_secret_post" | "private_key_jwt" | "none" | null; jwks: { keys: Array<Record<string, unknown>> } | null; jwksUri: string | null; postLogoutRedirectUris: Array<string>; backchannelLogoutUri: string | null; grantTypes: Array<"authorization_code" | "refresh_token" | "client_credentials" | "urn:ietf:params:oauth:grant-type:device_code" | "urn:ietf:params:oauth:grant-type:token-exchange">; roleId: string | null; isFirstParty: boolean; requireSecondFactor: boolean; requirePkce: boolean; actsInGrants: boolean; allowOrganizationSignUp: boolean; allowEmailCode: boolean; dpopBoundAccessTokens: boolean; idTokenSignedResponseAlg: "RS256" | "ES256"; mayAct: Array<string>; claims: Array<{ name: string; source: string; in: "idToken" | "userinfo" | "accessToken" }>; leftOutClaims: { names: Array<string>; at: string } | null };
  };
  /** Withdraw what a person allowed an app; the tokens that it gave end at once (`DELETE /api/project-apps/{id}/consents/{userId}`) */
  deleteProjectAppConsent: {
    input: { id: string; userId: string; scope: { tenant: "accountProject" | "organizationProject"; id: string } };
    output: { success: boolean };
  };
  /** Remove a client secret; it is refused from then on (`DELETE /api/project-apps/{id}/secrets/{secretId}`) */
  deleteProjectAppSecret: {
    input: { id: string; secretId: string; scope: { tenant: "accountProject" | "organizationProject"; id: string } };
    output: { id: string; lastFour: string; createdAt: string; lastUsedAt: string | null };
  };
  /** Deletes a resource and the permissions for it; its slug is free again. (`DELETE /api/resources/{id}`) */
  deleteResource: {
    input: { id: string; hardDelete?: boolean | undefined; scope: { tenant: "account" | "organization" | "accountProject" | "organizationProject"; id: string } };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; description: string | null; isShared: boolean; slug: string; actions: Array<string>; isActive: boolean; isBuiltIn: boolean; identifier: string | null; primaryTagId: string | null };
  };
  /** Delete a role and take it from all who have it; an organization keeps a role that is a member’s only one (`DELETE /api/roles/{id}`) */
  deleteRole: {
    input: { id: string; hardDelete?: boolean | undefined; scope: { tenant: "account" | "organization" | "accountProject" | "organizationProject"; id: string } };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; description: string | null; isShared: boolean; metadata: Record<string, unknown>; isBuiltIn: boolean; rank: number | null; isGrantable: boolean; primaryTagId: string | null };
  };
  /** Remove a factor; recovery codes go with the last one. Ends the other sessions (`DELETE /api/me/second-factors/{id}`) */
  deleteSecondFactor: {
    input: { id: string };
    output: { factor: { id: string; kind: "totp" | "passkey" | "recoveryCodes"; name: string; isConfirmed: boolean; createdAt: string; updatedAt: string; lastUsedAt: string | null; remaining?: number | null } };
  };
  /** Delete a service account; its tokens end at once, and what it vouches for stops (`DELETE /api/service-accounts/{id}`) */
  deleteServiceAccount: {
    input: { id: string; scope: { tenant: "organization" | "account"; id: string } };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; clientId: string; name: string; description: string | null; roleIds: Array<string>; elevated: Array<string>; allowedNetworks: Array<string>; credentials: Array<{ id: string; type: "secret" | "directory" | "jwks" | "trust"; lastFour: string | null; jwks: { keys: Array<Record<string, unknown>> } | null; jwksUri: string | null; issuer: string | null; audience: string | null; claims: Record<string, unknown> | null; createdBy: string; createdAt: string; expiresAt: string | null; lastUsedAt: string | null; lastUsedFrom: string | null }>; createdBy: string; isSuspended: boolean; lastUsedAt: string | null; lastUsedFrom: string | null; lastUsedCredentialId: string | null };
  };
  /** Remove a credential of a service account; the tokens that it got, and the apps and webhooks that it made, end at once (`DELETE /api/service-accounts/{id}/credentials/{credentialId}`) */
  deleteServiceAccountCredential: {
    input: { id: string; credentialId: string; scope: { tenant: "organization" | "account"; id: string } };
    output: { id: string; type: "secret" | "directory" | "jwks" | "trust"; lastFour: string | null; jwks: { keys: Array<Record<string, unknown>> } | null; jwksUri: string | null; issuer: string | null; audience: string | null; claims: Record<string, unknown> | null; createdBy: string; createdAt: string; expiresAt: string | null; lastUsedAt: string | null; lastUsedFrom: string | null };
  };
  /** Revoke a set-up link: it can be used no more, also by the browser that has begun. The domains and the connection that were entered stay (`DELETE /api/connections/set-up-links/{id}`) */
  deleteSetUpLink: {
    input: { id: string; scope: { tenant: "organization"; id: string } };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; state: "open" | "begun" | "finished" | "revoked" | "expired" | "ended"; email: string | null; createdBy: string; allowsDirectory: boolean; expiresAt: string; begunAt: string | null; begunFrom: string | null; finishedAt: string | null; revokedAt: string | null; connectionId: string | null; directoryAccountId: string | null };
  };
  /** Withdraw a standing consent; what was begun by it ends at once (`DELETE /api/support-consents/{id}`) */
  deleteSupportConsent: {
    input: { id: string; scope: { tenant: "organization"; id: string } };
    output: { success: boolean };
  };
  /** Deletes a tag; nothing carries it any more. (`DELETE /api/tags/{id}`) */
  deleteTag: {
    input: { id: string; hardDelete?: boolean | undefined; scope: { tenant: "account" | "organization" | "accountProject" | "organizationProject"; id: string } };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; color: string };
  };
  /** Take a person out of a scope; who exists for this scope only is deleted (`DELETE /api/users/{id}`) */
  deleteUser: {
    input: { id: string; hardDelete?: boolean | undefined; scope: { tenant: "organization" | "accountProject" | "organizationProject"; id: string } };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; pictureUrl: string | null; metadata: Record<string, unknown>; primaryTagId: string | null; memberMetadata?: Record<string, unknown> };
  };
  /** Remove a webhook with its deliveries; what waits is not sent any more (`DELETE /api/webhooks/{id}`) */
  deleteWebhook: {
    input: { id: string; scope: { tenant: "organization" | "accountProject" | "organizationProject"; id: string } };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; url: string; eventTypes: Array<string>; outcomes: Array<"ok" | "refused" | "failed">; description: string; isActive: boolean; disabledAt: string | null; failingSince: string | null; createdBy: string; voucher: { type: "session" | "apiKey" | "app" | "serviceAccount"; userId: string | null; apiKeyId: string | null; appId: string | null; at: string; endedAt: string | null; until: string | null } | null };
  };
  /** Take a member out of the hands of the directory: what it sends of them changes nothing here any more, not even active false (`POST /api/organization-members/{userId}/detach`) */
  detachMember: {
    input: { userId: string } & { scope: { tenant: "organization"; id: string } };
    output: { id: string; type: "member" | "invitation"; name: string | null; email: string | null; role: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; description: string | null; metadata: Record<string, unknown>; primaryTagId: string | null; isBuiltIn: boolean; rank: number | null } | null; metadata: Record<string, unknown>; isBlocked: boolean; blockedAt: string | null; directory: { isActive: boolean | null; isDetached: boolean; detachedAt: string | null } | null; status: "pending" | "accepted" | "expired" | "revoked" | null; user: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; pictureUrl: string | null; metadata: Record<string, unknown> } | null; invitation: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; organizationId: string; email: string; name: string | null; roleId: string; status: "pending" | "accepted" | "expired" | "revoked"; invitedBy: string; invitedAt: string; expiresAt: string; acceptedAt: string | null; isMailed: boolean } | null; createdAt: string; updatedAt: string; deletedAt: string | null; version?: string };
  };
  /** How an address signs in: by the identity provider of the organization that has proven its domain, or in the ways of this installation. It says nothing of accounts (`POST /api/auth/discover`) */
  discoverSignIn: {
    input: { email: string };
    output: { methods: Array<string>; connection: { id: string; name: string } | null };
  };
  /** Refuse the sessions of a member here until they prove again who they are, and end the tokens of apps; keys stay (`POST /api/organization-members/{userId}/end-sessions`) */
  endMemberSessions: {
    input: { userId: string } & { scope: { tenant: "organization"; id: string } };
    output: { id: string; type: "member" | "invitation"; name: string | null; email: string | null; role: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; description: string | null; metadata: Record<string, unknown>; primaryTagId: string | null; isBuiltIn: boolean; rank: number | null } | null; metadata: Record<string, unknown>; isBlocked: boolean; blockedAt: string | null; directory: { isActive: boolean | null; isDetached: boolean; detachedAt: string | null } | null; status: "pending" | "accepted" | "expired" | "revoked" | null; user: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; pictureUrl: string | null; metadata: Record<string, unknown> } | null; invitation: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; organizationId: string; email: string; name: string | null; roleId: string; status: "pending" | "accepted" | "expired" | "revoked"; invitedBy: string; invitedAt: string; expiresAt: string; acceptedAt: string | null; isMailed: boolean } | null; createdAt: string; updatedAt: string; deletedAt: string | null; version?: string };
  };
  /** End what a supporter does as the caller, or what the caller does as a supporter; the tokens end at once (`DELETE /api/me/support-access/{id}`) */
  endMySupportAccess: {
    input: { id: string };
    output: { success: boolean };
  };
  /** End the use of a project by a customer, or withdraw an offer (`DELETE /api/project-grants/{id}`) */
  endProjectGrant: {
    input: { id: string; scope: { tenant: "organizationProject"; id: string } };
    output: { id: string; projectId: string; organizationId: string | null; ownerOrganizationId: string; status: "offered" | "active" | "suspended" | "declined" | "ended"; roleIds: Array<string> | null; allowCustomRoles: boolean; maxMembers: number | null; metadata: Record<string, unknown>; reason: string | null; email: string | null; expiresAt: string | null; isMailed: boolean; createdAt: string; updatedAt: string; acceptedAt: string | null; endedAt: string | null; organization: { id: string; name: string; slug: string } | null; project: { id: string; name: string; slug: string }; ownerOrganization: { id: string; name: string; slug: string }; memberCount: number; roles: Array<{ id: string; name: string }> };
  };
  /** Begin to set up an authenticator app; a code of it confirms the factor (`POST /api/me/second-factors/totp`) */
  enrollTotp: {
    input: { name?: string | undefined };
    output: { factor: { id: string; kind: "totp" | "passkey" | "recoveryCodes"; name: string; isConfirmed: boolean; createdAt: string; updatedAt: string; lastUsedAt: string | null; remaining?: number | null }; secret: string; uri: string };
  };
  /** Enter the code that a device shows (RFC 8628): begins what the page asks the person (`POST /api/auth/device`) */
  enterDeviceCode: {
    input: { userCode: string };
    output: { id: string; branding: { name: string; logoUrl: string | null; colors: { primary: string; background: string | null }; termsUrl: string | null; privacyUrl: string | null; supportEmail: string | null; productName: string }; prompt: "sign_in" | "organization" | "consent" | "device" | "logout"; reasons: Array<string>; app: { id: string | null; clientId: string; name: string; project: string | null; organization: string | null; logoUrl: string | null; document: { url: string; domain: string; ownName: string | null; isOnDevice: boolean } | null }; organization: { id: string; name: string; slug: string } | null; organizations: Array<{ id: string; name: string; slug: string }>; canSignUp: boolean; connection: { id: string; name: string } | null; enabledProviders: Array<string>; hasEmailCodes: boolean; scopes: Array<{ name: string; description: string | null }>; details: Array<string>; opensSession: boolean; joins: boolean; device: { userAgent: string; ipAddress: string } | null; grantedSessions: number; account: { name: string; email: string | null } | null };
  };
  /** Exchange the credentials of an API key for an access token (`POST /api/auth/token`) */
  exchangeApiKey: {
    input: { clientId: string; clientSecret: string; scope: { tenant: "accountProject" | "organizationProject" | "accountProjectUser" | "organizationProjectUser"; id: string } };
    output: { accessToken: string; expiresIn: number };
  };
  /** Exchange the one-time code of a sign-in by provider for a session (`POST /api/auth/cli-callback`) */
  exchangeCode: {
    input: { code: string; codeVerifier?: string | undefined; isConfirmed?: boolean | undefined };
    output: { accessToken?: string; refreshToken?: string; accounts?: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; type: "personal" | "organization"; ownerId: string }>; secondFactor?: { token: string; methods: Array<"totp" | "passkey" | "recoveryCode"> }; continueAs?: { code: string; name: string; email: string | null; connection: string } };
  };
  /** Exchange the own session for a token to act as the person (RFC 8693: `act` names the supporter); begins an access that was allowed (`POST /api/support-access/{id}/token`) */
  exchangeSupportAccess: {
    input: { id: string } & { scope: { tenant: "organizationProject"; id: string } };
    output: { accessToken: string; expiresAt: string; access: { id: string; supporter: { id: string; name: string | null; email: string | null }; user: { id: string; name: string | null }; organization: { id: string; name: string | null }; project: { id: string; name: string | null; scope: { tenant: string; id: string } }; reason: string; minutes: number; status: "requested" | "allowed" | "active" | "refused" | "ended"; requestedAt: string; decidedBy: string | null; decidedAt: string | null; mayWrite: boolean; mayExport: boolean; startedAt: string | null; endsAt: string; endedAt: string | null; endedBy: "supporter" | "person" | "organization" | "consent" | "session" | "rights" | "membership" | "grant" | "time" | null; lastActions: Array<{ action: string; outcome: string; at: string }> } };
  };
  /** Everything that is kept about the caller, as a file (`GET /api/me/export`) */
  exportMyData: {
    input: Record<never, never>;
    output: { user: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; pictureUrl: string | null; metadata: Record<string, unknown> }; accounts: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; type: "personal" | "organization"; ownerId: string }>; authenticationMethods: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; userId: string; provider: string; providerId: string | null; isVerified: boolean; isHeld: boolean; isPrimary: boolean; lastUsedAt: string | null }>; sessions: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; userId: string; authenticationMethodId: string | null; audience: string; scope: { tenant: string; id: string } | null; userAgent: string; ipAddress: string; expiresAt: string; lastUsedAt: string; isCurrent: boolean; grantedBy: { sessionId: string; userAgent: string; ipAddress: string; grantedAt: string } | null; grantedSessions: number }>; organizationMemberships: Array<{ organizationId: string; name: string; slug: string; joinedAt: string }>; projectMemberships: Array<{ scope: { tenant: string; id: string }; name: string; joinedAt: string }>; providerSignIns: Array<{ connectionId: string; signedInAt: string; claims: Array<{ name: string; values: Array<string>; isCut: boolean }> }>; exportedAt: string };
  };
  /** What may the caller, or the subject that it names, do here? Every action that it holds, and whether its condition is met. (`POST /api/auth/search/actions`) */
  findActions: {
    input: { scope?: { tenant: "account" | "organization" | "accountProject" | "organizationProject"; id: string } | undefined; subject?: { type: "user" | "apiKey" | "app" | "serviceAccount"; id: string } | undefined; actor?: { type: "user" | "apiKey" | "app" | "serviceAccount"; id: string } | undefined; cursor?: string | undefined; limit?: number | undefined; context?: { resource?: Record<string, unknown> | undefined } | undefined; resource?: string | undefined };
    output: { items: Array<{ resource: string; action: string; authorized: boolean; reason: "PERMISSION_GRANTED_NO_CONDITION" | "PERMISSION_GRANTED_CONDITION_MET" | "PERMISSION_FOUND_CONDITION_NOT_MET" | "NO_MATCHING_PERMISSION_FOUND" | "SCOPE_NOT_GRANTED" | "INVALID_SCOPE" | "NOT_AUTHENTICATED" | "SECOND_FACTOR_REQUIRED" | "FRESH_SIGN_IN_REQUIRED" | "NEW_PASSWORD_REQUIRED" | "CONNECTION_REQUIRED" | "TENANT_SUSPENDED" | "GRANT_SUSPENDED" | "GRANT_ENDED"; condition: Record<string, unknown> | null }>; nextCursor: string | null };
  };
  /** The people of the installation who have an address, or the one of an id (`GET /api/platform/users`) */
  findPlatformUsers: {
    input: { search: string };
    output: { items: Array<{ id: string; name: string; email: string | null; isPlatformAdministrator: boolean; isBlocked: boolean; blockedAt: string | null; blockReason: string | null; createdAt: string; updatedAt: string }> };
  };
  /** On which resources may the caller, or the subject that it names, do this here? (`POST /api/auth/search/resources`) */
  findResources: {
    input: { scope?: { tenant: "account" | "organization" | "accountProject" | "organizationProject"; id: string } | undefined; subject?: { type: "user" | "apiKey" | "app" | "serviceAccount"; id: string } | undefined; actor?: { type: "user" | "apiKey" | "app" | "serviceAccount"; id: string } | undefined; cursor?: string | undefined; limit?: number | undefined; context?: { resource?: Record<string, unknown> | undefined } | undefined; action: string };
    output: { items: Array<{ slug: string }>; nextCursor: string | null };
  };
  /** Who may do this here? People, API keys, apps or service accounts, by id, page by page; a page may be short while there is a next one. (`POST /api/auth/search/subjects`) */
  findSubjects: {
    input: { scope: { tenant: "account" | "organization" | "accountProject" | "organizationProject"; id: string }; subjectType: "user" | "apiKey" | "app" | "serviceAccount"; permission: { resource: string; action: string }; context?: { resource?: Record<string, unknown> | undefined } | undefined; actor?: { type: "user" | "apiKey" | "app" | "serviceAccount"; id: string } | undefined; cursor?: string | undefined; limit?: number | undefined };
    output: { items: Array<{ type: "user" | "apiKey" | "app" | "serviceAccount"; id: string; name: string | null }>; nextCursor: string | null };
  };
  /** Remove every second factor with the token from the mail, once the wait is over; ends all sessions (`POST /api/auth/recovery/finish`) */
  finishRecovery: {
    input: { token: string };
    output: { success: boolean };
  };
  /** Finish a set-up link: nothing more can be changed by it, and the Owners of the organization get a mail with what was set up (`POST /api/set-up/{id}/finish`) */
  finishSetUp: {
    input: { id: string };
    output: { id: string; organization: string; madeBy: string; expiresAt: string; finishedAt: string | null; callbackUrl: string; spEntityId: string; acsUrl: string; spMetadataUrl: string | null; directory: { baseUrl: string; isMade: boolean } | null; domains: Array<{ id: string; domain: string; status: string; challenge: { name: string; value: string }; problem: string | null }>; connection: { type: "oidc" | "saml"; name: string; isDraft: boolean; oidc: { issuer: string; clientId: string } | null; saml: { metadataUrl: string | null; entityId: string; ssoUrl: string; certificates: Array<{ fingerprint: string; endsAt: string }> } | null } | null; test: { status: "waiting" | "opened" | "passed" | "refused" | "failed"; createdAt: string; cause: { kind: "upstream-error" | "client-refused" | "unreachable" | "discovery" | "userinfo" | "issuer" | "audience" | "signature" | "clock" | "request" | "answer" | "ours"; reason: string; upstreamError: string | null; upstreamDescription: string | null } | null; came: Array<{ name: string; values: Array<string>; isCut: boolean }>; became: { subject: string; email: string | null; name: string | null; isDomainProven: boolean } | null; findings: Array<{ kind: "no-domain" | "no-address" | "address-not-allowed" | "address-not-verified" | "address-not-held" | "address-taken" | "link-needed" | "not-a-member" | "organization-full" | "refused" | "no-name" | "claim-missing" | "groups-elsewhere" | "nothing-mapped" | "default-role-gone"; isBlocking: boolean; claims: Array<string> }> } | null };
  };
  /** One of your own accounts (`GET /api/accounts/{id}`) */
  getAccount: {
    input: { id: string; relations?: Array<"projects" | "owner"> | undefined };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; type: "personal" | "organization"; ownerId: string; projects?: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; slug: string; description: string | null; metadata: Record<string, unknown>; primaryTagId: string | null }>; owner?: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; pictureUrl: string | null; metadata: Record<string, unknown> } };
  };
  /** How often an API key was exchanged for a token over time (`GET /api/api-keys/{id}/use`) */
  getApiKeyUse: {
    input: { id: string; period: "day" | "week" | "month"; scope: { tenant: "accountProject" | "organizationProject" | "accountProjectUser" | "organizationProjectUser"; id: string } };
    output: { unit: "hour" | "day"; counts: Array<{ at: string; exchanged: number }> };
  };
  /** What pages show of an app on the way to it (`GET /api/auth/project/app-info`) */
  getAppInfo: {
    input: { client_id: string };
    output: { name: string; url: string | null; enabledProviders: Array<string>; scopes: Array<string> };
  };
  /** What an organization, a project or an app has set of its branding, and what pages and mails show with what it inherits (`GET /api/branding`) */
  getBranding: {
    input: { appId?: string | undefined; scope: { tenant: "organizationProject" | "accountProject" | "organization"; id: string } };
    output: { name: string | null; logoUrl: string | null; colors: { primary: string | null; background: string | null }; termsUrl: string | null; privacyUrl: string | null; supportEmail: string | null; updatedAt: string | null; shown: { name: string; logoUrl: string | null; colors: { primary: string; background: string | null }; termsUrl: string | null; privacyUrl: string | null; supportEmail: string | null; productName: string }; inherited: { name: string; logoUrl: string | null; colors: { primary: string; background: string | null }; termsUrl: string | null; privacyUrl: string | null; supportEmail: string | null; productName: string } };
  };
  /** Read from which hosts a project accepts client metadata documents (`GET /api/client-documents`) */
  getClientDocuments: {
    input: { scope: { tenant: "accountProject" | "organizationProject"; id: string } };
    output: { allowClientMetadataDocuments: boolean; clientDomains: Array<string>; clientScopes: Array<string>; updatedAt: string | null };
  };
  /** Options with which the browser confirms the caller by passkey (`POST /api/auth/confirm/options`) */
  getConfirmOptions: {
    input: Record<never, never>;
    output: Record<string, unknown>;
  };
  /** One identity provider of an organization, without its secret (`GET /api/connections/{id}`) */
  getConnection: {
    input: { id: string; scope: { tenant: "organization"; id: string } };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; type: "oidc" | "saml"; name: string; status: "draft" | "active" | "disabled"; oidc: { issuer: string; clientId: string; scopes: Array<string> } | null; saml: { metadataUrl: string | null; entityId: string; ssoUrl: string; certificates: Array<{ fingerprint: string; endsAt: string }> } | null; defaultRoleId: string; roleMapping: Array<{ claim: string; value: string; roleId: string; grantId: string | null }>; isEnforced: boolean; breakGlassUserIds: Array<string>; enforcedAt: string | null; linkOnProvenDomain: boolean; trustedAcr: Array<string>; callbackUrl: string | null; backchannelLogoutUrl: string | null; spEntityId: string | null; acsUrl: string | null; spMetadataUrl: string | null; signInUrl: string; createdBy: string; lastUsedAt: string | null; testedAt: string | null };
  };
  /** Which members could not sign in any more if this connection were enforced, and what has to be done before it can be (`GET /api/connections/{id}/enforcement`) */
  getConnectionEnforcement: {
    input: { id: string; scope: { tenant: "organization"; id: string } };
    output: { isEnforced: boolean; obstacles: Array<"not-active" | "no-domain" | "never-used" | "no-owner">; members: number; linked: number; breakGlass: number; shutOutCount: number; shutOut: Array<{ userId: string; name: string; email: string | null; reason: "must-connect" | "no-address" }>; isComplete: boolean };
  };
  /** One test of an identity provider (`GET /api/connections/{id}/tests/{testId}`) */
  getConnectionTest: {
    input: { id: string; testId: string; scope: { tenant: "organization"; id: string } };
    output: { id: string; connectionId: string; status: "waiting" | "opened" | "passed" | "refused" | "failed"; createdBy: string | null; createdAt: string; openedAt: string | null; finishedAt: string | null; expiresAt: string; cause: { kind: "upstream-error" | "client-refused" | "unreachable" | "discovery" | "userinfo" | "issuer" | "audience" | "signature" | "clock" | "request" | "answer" | "ours"; reason: string; upstreamError: string | null; upstreamDescription: string | null } | null; came: Array<{ name: string; values: Array<string>; isCut: boolean }>; became: { subject: string; email: string | null; name: string | null; isEmailVerified: boolean; isDomainProven: boolean; person: "known" | "new" | "linked" | null; mapped: Array<{ claim: string; value: string; roleId: string; grantId: string | null }>; roles: Array<{ roleId: string; name: string }> } | null; findings: Array<{ kind: "no-domain" | "no-address" | "address-not-allowed" | "address-not-verified" | "address-not-held" | "address-taken" | "link-needed" | "not-a-member" | "organization-full" | "refused" | "no-name" | "claim-missing" | "groups-elsewhere" | "nothing-mapped" | "default-role-gone"; isBlocking: boolean; claims: Array<string> }> };
  };
  /** How many questions were allowed and refused in a scope over time, and beside them Tessera’s own checks; a few seconds late. (`GET /api/decision-counts`) */
  getDecisionCounts: {
    input: { period: "day" | "week" | "month"; scope: { tenant: "account" | "organization" | "accountProject" | "organizationProject"; id: string } };
    output: { unit: "hour" | "day"; counts: Array<{ at: string; allowed: number; refused: number; own: number }> };
  };
  /** One domain of an organization (`GET /api/domains/{id}`) */
  getDomain: {
    input: { id: string; scope: { tenant: "organization"; id: string } };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; domain: string; status: "pending" | "verified" | "failing" | "lost"; challenge: { name: string; value: string }; verifiedAt: string | null; checkedAt: string | null; failingSince: string | null; lostAt: string | null; problem: "record_missing" | "record_differs" | "dns_failed" | "claimed_elsewhere" | null };
  };
  /** What a hosted page asks a person who signs in to an app by OpenID Connect (`GET /api/auth/interactions/{id}`) */
  getInteraction: {
    input: { id: string };
    output: { branding: { name: string; logoUrl: string | null; colors: { primary: string; background: string | null }; termsUrl: string | null; privacyUrl: string | null; supportEmail: string | null; productName: string }; prompt: "sign_in" | "organization" | "consent" | "device" | "logout"; reasons: Array<string>; app: { id: string | null; clientId: string; name: string; project: string | null; organization: string | null; logoUrl: string | null; document: { url: string; domain: string; ownName: string | null; isOnDevice: boolean } | null }; organization: { id: string; name: string; slug: string } | null; organizations: Array<{ id: string; name: string; slug: string }>; canSignUp: boolean; connection: { id: string; name: string } | null; enabledProviders: Array<string>; hasEmailCodes: boolean; scopes: Array<{ name: string; description: string | null }>; details: Array<string>; opensSession: boolean; joins: boolean; device: { userAgent: string; ipAddress: string } | null; grantedSessions: number; account: { name: string; email: string | null } | null };
  };
  /** Read an invitation by its token (`GET /api/organization-invitations/{token}`) */
  getInvitation: {
    input: { token: string };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; organizationId: string; email: string; name: string | null; roleId: string; status: "pending" | "accepted" | "expired" | "revoked"; invitedBy: string; invitedAt: string; expiresAt: string; acceptedAt: string | null; isMailed: boolean; organizationName: string };
  };
  /** The text of a mail in the name of an organization, its own or the standard one, and the variables that it may contain (`GET /api/mail-texts/{template}/{language}`) */
  getMailText: {
    input: { template: "verify-email" | "reset-password" | "magic-link" | "invitation" | "grant-offer"; language: "en" | "de" | "es" | "fr"; scope: { tenant: "organization"; id: string } };
    output: { template: string; language: string; subject: string; body: string; variables: Array<string>; requiredVariables: Array<string>; isDefault: boolean; updatedAt: string | null };
  };
  /** The signed-in user, with accounts and address (`GET /api/me`) */
  getMe: {
    input: { relations?: Array<"organizations"> | undefined };
    output: { user: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; pictureUrl: string | null; metadata: Record<string, unknown> }; accounts: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; type: "personal" | "organization"; ownerId: string }>; email: string | null; isVerified: boolean; isHeld: boolean; acr: "aal1" | "aal2"; amr: Array<string>; authenticatedAt: string | null; hasSecondFactor: boolean; isPlatformAdministrator: boolean; support: { id: string; until: string; organizationId: string; mayWrite: boolean; mayExport: boolean; supporter: { id: string; name: string | null } } | null; organizations?: Array<{ id: string; name: string; slug: string; role: string | null; grants: Array<{ id: string; projectId: string; name: string; scope: { tenant: string; id: string } }> }> };
  };
  /** Whether the addresses that the caller’s account holds get invitation mails (`GET /api/me/invitation-mails`) */
  getMyInvitationMails: {
    input: Record<never, never>;
    output: { isWanted: boolean };
  };
  /** The caller’s second factors, and how many recovery codes are left (`GET /api/me/second-factors`) */
  getMySecondFactors: {
    input: Record<never, never>;
    output: { items: Array<{ id: string; kind: "totp" | "passkey" | "recoveryCodes"; name: string; isConfirmed: boolean; createdAt: string; updatedAt: string; lastUsedAt: string | null; remaining?: number | null }> };
  };
  /** One organization (`GET /api/organizations/{id}`) */
  getOrganization: {
    input: { id: string; relations?: Array<"users" | "projects" | "roles" | "groups"> | undefined; scope: { tenant: "account" | "organization"; id: string } };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; slug: string; metadata: Record<string, unknown>; security: { requireSecondFactor: boolean; maxSessionAgeMinutes: number | null; allowEmailCode: boolean }; users?: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; pictureUrl: string | null; metadata: Record<string, unknown> }>; projects?: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; slug: string; description: string | null; metadata: Record<string, unknown>; primaryTagId: string | null }>; roles?: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; description: string | null; metadata: Record<string, unknown>; primaryTagId: string | null; isBuiltIn: boolean; rank: number | null }>; groups?: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; description: string | null; metadata: Record<string, unknown>; primaryTagId: string | null }> };
  };
  /** Options with which the browser makes a passkey (`POST /api/me/passkeys/options`) */
  getPasskeyCreationOptions: {
    input: Record<never, never>;
    output: Record<string, unknown>;
  };
  /** Options with which the browser signs in by passkey, without a name or password (`POST /api/auth/passkey/options`) */
  getPasskeyOptions: {
    input: Record<never, never>;
    output: Record<string, unknown>;
  };
  /** One service account of the platform, with its credentials but without their secrets (`GET /api/platform/service-accounts/{id}`) */
  getPlatformServiceAccount: {
    input: { id: string };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; clientId: string; name: string; description: string | null; roleIds: Array<"Provisioner">; elevated: Array<string>; allowedNetworks: Array<string>; credentials: Array<{ id: string; type: "secret" | "directory" | "jwks" | "trust"; lastFour: string | null; jwks: { keys: Array<Record<string, unknown>> } | null; jwksUri: string | null; issuer: string | null; audience: string | null; claims: Record<string, unknown> | null; createdBy: string; createdAt: string; expiresAt: string | null; lastUsedAt: string | null; lastUsedFrom: string | null }>; createdBy: string; isSuspended: boolean; lastUsedAt: string | null; lastUsedFrom: string | null; lastUsedCredentialId: string | null };
  };
  /** One grant, for its owner in the project or for the customer in its organization (`GET /api/project-grants/{id}`) */
  getProjectGrant: {
    input: { id: string; scope: { tenant: "organizationProject" | "organization"; id: string } };
    output: { id: string; projectId: string; organizationId: string | null; ownerOrganizationId: string; status: "offered" | "active" | "suspended" | "declined" | "ended"; roleIds: Array<string> | null; allowCustomRoles: boolean; maxMembers: number | null; metadata: Record<string, unknown>; reason: string | null; email: string | null; expiresAt: string | null; isMailed: boolean; createdAt: string; updatedAt: string; acceptedAt: string | null; endedAt: string | null; organization: { id: string; name: string; slug: string } | null; project: { id: string; name: string; slug: string }; ownerOrganization: { id: string; name: string; slug: string }; memberCount: number; roles: Array<{ id: string; name: string }> };
  };
  /** Read an offer by mail by its token: which project of whom, and for which address (`GET /api/project-grants/offers/{token}`) */
  getProjectGrantOffer: {
    input: { token: string };
    output: { id: string; state: "open" | "taken" | "declined" | "withdrawn" | "expired"; email: string; expiresAt: string | null; project: { id: string; name: string; slug: string }; ownerOrganization: { id: string; name: string; slug: string }; roles: Array<{ id: string; name: string }>; allowCustomRoles: boolean; maxMembers: number | null };
  };
  /** What hosted pages show of an app or an organization; the installation’s own for an unknown id, or without one (`GET /api/branding/public`) */
  getPublicBranding: {
    input: { client_id?: string | undefined; organization?: string | undefined };
    output: { name: string; logoUrl: string | null; colors: { primary: string; background: string | null }; termsUrl: string | null; privacyUrl: string | null; supportEmail: string | null; productName: string };
  };
  /** Options with which the browser uses a passkey as second factor (`POST /api/auth/second-factor/options`) */
  getSecondFactorOptions: {
    input: { token: string };
    output: Record<string, unknown>;
  };
  /** One service account, with its credentials but without their secrets (`GET /api/service-accounts/{id}`) */
  getServiceAccount: {
    input: { id: string; scope: { tenant: "organization" | "account"; id: string } };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; clientId: string; name: string; description: string | null; roleIds: Array<string>; elevated: Array<string>; allowedNetworks: Array<string>; credentials: Array<{ id: string; type: "secret" | "directory" | "jwks" | "trust"; lastFour: string | null; jwks: { keys: Array<Record<string, unknown>> } | null; jwksUri: string | null; issuer: string | null; audience: string | null; claims: Record<string, unknown> | null; createdBy: string; createdAt: string; expiresAt: string | null; lastUsedAt: string | null; lastUsedFrom: string | null }>; createdBy: string; isSuspended: boolean; lastUsedAt: string | null; lastUsedFrom: string | null; lastUsedCredentialId: string | null };
  };
  /** What the page of a set-up link shows: the organization, who asked, and what was made by the link (`GET /api/set-up/{id}`) */
  getSetUp: {
    input: { id: string };
    output: { id: string; organization: string; madeBy: string; expiresAt: string; finishedAt: string | null; callbackUrl: string; spEntityId: string; acsUrl: string; spMetadataUrl: string | null; directory: { baseUrl: string; isMade: boolean } | null; domains: Array<{ id: string; domain: string; status: string; challenge: { name: string; value: string }; problem: string | null }>; connection: { type: "oidc" | "saml"; name: string; isDraft: boolean; oidc: { issuer: string; clientId: string } | null; saml: { metadataUrl: string | null; entityId: string; ssoUrl: string; certificates: Array<{ fingerprint: string; endsAt: string }> } | null } | null; test: { status: "waiting" | "opened" | "passed" | "refused" | "failed"; createdAt: string; cause: { kind: "upstream-error" | "client-refused" | "unreachable" | "discovery" | "userinfo" | "issuer" | "audience" | "signature" | "clock" | "request" | "answer" | "ours"; reason: string; upstreamError: string | null; upstreamDescription: string | null } | null; came: Array<{ name: string; values: Array<string>; isCut: boolean }>; became: { subject: string; email: string | null; name: string | null; isDomainProven: boolean } | null; findings: Array<{ kind: "no-domain" | "no-address" | "address-not-allowed" | "address-not-verified" | "address-not-held" | "address-taken" | "link-needed" | "not-a-member" | "organization-full" | "refused" | "no-name" | "claim-missing" | "groups-elsewhere" | "nothing-mapped" | "default-role-gone"; isBlocking: boolean; claims: Array<string> }> } | null };
  };
  /** How many sign-ins to the apps of a project, or to one of them, succeeded and were refused over time (`GET /api/sign-in-counts`) */
  getSignInCounts: {
    input: { period: "day" | "week" | "month"; appId?: string | undefined; scope: { tenant: "accountProject" | "organizationProject"; id: string } };
    output: { unit: "hour" | "day"; counts: Array<{ at: string; signedIn: number; refused: number }> };
  };
  /** What a sign-in page shows: the name of this installation and its identity providers (`GET /api/auth/options`) */
  getSignInOptions: {
    input: Record<never, never>;
    output: { productName: string; branding: { name: string; logoUrl: string | null; colors: { primary: string; background: string | null }; termsUrl: string | null; privacyUrl: string | null; supportEmail: string | null; productName: string }; providers: Array<{ name: string; label: string }>; hasEmailCodes: boolean; hasConnections: boolean; sendsMails: boolean; recoveryWaitHours: number; hasUsers: boolean };
  };
  /** One person of an organization or a project (`GET /api/users/{id}`) */
  getUser: {
    input: { id: string; relations?: Array<"roles" | "tags" | "accounts" | "authenticationMethods"> | undefined; scope: { tenant: "organization" | "accountProject" | "organizationProject"; id: string } };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; pictureUrl: string | null; metadata: Record<string, unknown>; primaryTagId: string | null; memberMetadata?: Record<string, unknown>; roles?: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; description: string | null; metadata: Record<string, unknown>; isBuiltIn: boolean; primaryTagId: string | null }>; tags?: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; color: string }>; accounts?: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; type: "personal" | "organization"; ownerId: string }>; authenticationMethods?: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; userId: string; provider: string; providerId: string | null; isVerified: boolean; isHeld: boolean; isPrimary: boolean; lastUsedAt: string | null }> };
  };
  /** Let a supporter act as a person of the organization, for the time that was asked for; for an Owner only an Owner can (`POST /api/support-access/{id}/grant`) */
  grantSupportAccess: {
    input: { id: string } & { scope: { tenant: "organization"; id: string }; mayWrite?: boolean | undefined; mayExport?: boolean | undefined };
    output: { id: string; supporter: { id: string; name: string | null; email: string | null }; user: { id: string; name: string | null }; organization: { id: string; name: string | null }; project: { id: string; name: string | null; scope: { tenant: string; id: string } }; reason: string; minutes: number; status: "requested" | "allowed" | "active" | "refused" | "ended"; requestedAt: string; decidedBy: string | null; decidedAt: string | null; mayWrite: boolean; mayExport: boolean; startedAt: string | null; endsAt: string; endedAt: string | null; endedBy: "supporter" | "person" | "organization" | "consent" | "session" | "rights" | "membership" | "grant" | "time" | null; lastActions: Array<{ action: string; outcome: string; at: string }> };
  };
  /** Take people over from another system, with the hashes of their passwords; never an address that exists (`POST /api/platform/users/import`) */
  importUsers: {
    input: { users: Array<{ email?: unknown | undefined; name?: unknown | undefined; passwordHash?: unknown | undefined; hashAlgorithm?: unknown | undefined; emailVerified?: unknown | undefined; externalId?: unknown | undefined; metadata?: unknown | undefined }> };
    output: { items: Array<{ index: number; externalId?: string; email?: string; status: "created" | "exists" | "skipped" | "invalid"; userId?: string; reason?: string }>; counts: { created: number; exists: number; skipped: number; invalid: number } };
  };
  /** Invite an address to an organization, with a role below the caller’s own (`POST /api/organization-invitations/invite`) */
  inviteMember: {
    input: { scope: { tenant: "organization"; id: string }; email: string; roleId: string };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; organizationId: string; email: string; name: string | null; roleId: string; status: "pending" | "accepted" | "expired" | "revoked"; invitedBy: string; invitedAt: string; expiresAt: string; acceptedAt: string | null; isMailed: boolean };
  };
  /** May the caller, or the subject that it names, do this here? A refusal is an answer (200), not an error. (`POST /api/auth/is-authorized`) */
  isAuthorized: {
    input: { permission: { resource: string; action: string }; context?: { resource?: Record<string, unknown> | undefined } | undefined; scope?: { tenant: "account" | "organization" | "accountProject" | "organizationProject"; id: string } | undefined; subject?: { type: "user" | "apiKey" | "app" | "serviceAccount"; id: string } | undefined; actor?: { type: "user" | "apiKey" | "app" | "serviceAccount"; id: string } | undefined; explain?: boolean | undefined };
    output: { authorized: boolean; reason: "PERMISSION_GRANTED_NO_CONDITION" | "PERMISSION_GRANTED_CONDITION_MET" | "PERMISSION_FOUND_CONDITION_NOT_MET" | "NO_MATCHING_PERMISSION_FOUND" | "SCOPE_NOT_GRANTED" | "INVALID_SCOPE" | "NOT_AUTHENTICATED" | "SECOND_FACTOR_REQUIRED" | "FRESH_SIGN_IN_REQUIRED" | "NEW_PASSWORD_REQUIRED" | "CONNECTION_REQUIRED" | "TENANT_SUSPENDED" | "GRANT_SUSPENDED" | "GRANT_ENDED"; matchedPermission: { id: string | null; name: string; resource: string; action: string; isBuiltIn: boolean; role: { id: string; name: string }; group: { id: string; name: string } | null } | null; matchedCondition: Record<string, unknown> | null; evaluatedContext: Record<string, unknown> | null; explanation: { paths: Array<{ permission: { id: string | null; name: string; resource: string; action: string; isBuiltIn: boolean; role: { id: string; name: string }; group: { id: string; name: string } | null }; condition: Record<string, unknown> | null; holds: boolean; comparisons: Array<{ operator: string; path: string; actual: unknown; expected: unknown; holds: boolean; isUnmet: boolean; isHidden: boolean }> }>; changes: Array<{ kind: "meetCondition" | "giveRole" | "makePermission" | "allowScope" | "useSecondFactor" | "signInAgain" | "changePassword" | "signInByConnection" | "chooseScope" | "signIn" | "giveRoleToActor"; role: { id: string; name: string } | null; permission: string | null }>; moreRoles: number; refusedBy: "subject" | "grant" | "actor" | "app" | null } | null };
  };
  /** Up to 1,000 questions at once, answered in their order. A question without scope or subject takes that of the whole. (`POST /api/auth/is-authorized/batch`) */
  isAuthorizedMany: {
    input: { checks: Array<{ permission: { resource: string; action: string }; context?: { resource?: Record<string, unknown> | undefined } | undefined; scope?: { tenant: "account" | "organization" | "accountProject" | "organizationProject"; id: string } | undefined; subject?: { type: "user" | "apiKey" | "app" | "serviceAccount"; id: string } | undefined; actor?: { type: "user" | "apiKey" | "app" | "serviceAccount"; id: string } | undefined }>; scope?: { tenant: "account" | "organization" | "accountProject" | "organizationProject"; id: string } | undefined; subject?: { type: "user" | "apiKey" | "app" | "serviceAccount"; id: string } | undefined; actor?: { type: "user" | "apiKey" | "app" | "serviceAccount"; id: string } | undefined };
    output: { decisions: Array<{ authorized: boolean; reason: "PERMISSION_GRANTED_NO_CONDITION" | "PERMISSION_GRANTED_CONDITION_MET" | "PERMISSION_FOUND_CONDITION_NOT_MET" | "NO_MATCHING_PERMISSION_FOUND" | "SCOPE_NOT_GRANTED" | "INVALID_SCOPE" | "NOT_AUTHENTICATED" | "SECOND_FACTOR_REQUIRED" | "FRESH_SIGN_IN_REQUIRED" | "NEW_PASSWORD_REQUIRED" | "CONNECTION_REQUIRED" | "TENANT_SUSPENDED" | "GRANT_SUSPENDED" | "GRANT_ENDED"; matchedPermission: { id: string | null; name: string; resource: string; action: string; isBuiltIn: boolean; role: { id: string; name: string }; group: { id: string; name: string } | null } | null; matchedCondition: Record<string, unknown> | null; evaluatedContext: Record<string, unknown> | null; explanation: { paths: Array<{ permission: { id: string | null; name: string; resource: string; action: string; isBuiltIn: boolean; role: { id: string; name: string }; group: { id: string; name: string } | null }; condition: Record<string, unknown> | null; holds: boolean; comparisons: Array<{ operator: string; path: string; actual: unknown; expected: unknown; holds: boolean; isUnmet: boolean; isHidden: boolean }> }>; changes: Array<{ kind: "meetCondition" | "giveRole" | "makePermission" | "allowScope" | "useSecondFactor" | "signInAgain" | "changePassword" | "signInByConnection" | "chooseScope" | "signIn" | "giveRoleToActor"; role: { id: string; name: string } | null; permission: string | null }>; moreRoles: number; refusedBy: "subject" | "grant" | "actor" | "app" | null } | null }> };
  };
  /** Leave a project that the organization uses; its people lose what they may do there. Only an Owner can (`POST /api/project-grants/{id}/leave`) */
  leaveProjectGrant: {
    input: { id: string } & { scope: { tenant: "organization"; id: string } };
    output: { id: string; projectId: string; organizationId: string | null; ownerOrganizationId: string; status: "offered" | "active" | "suspended" | "declined" | "ended"; roleIds: Array<string> | null; allowCustomRoles: boolean; maxMembers: number | null; metadata: Record<string, unknown>; reason: string | null; email: string | null; expiresAt: string | null; isMailed: boolean; createdAt: string; updatedAt: string; acceptedAt: string | null; endedAt: string | null; organization: { id: string; name: string; slug: string } | null; project: { id: string; name: string; slug: string }; ownerOrganization: { id: string; name: string; slug: string }; memberCount: number; roles: Array<{ id: string; name: string }> };
  };
  /** Your own accounts (`GET /api/accounts`) */
  listAccounts: {
    input: { page?: number | undefined; limit?: number | undefined; search?: string | undefined; sortField?: "type" | "createdAt" | "updatedAt" | undefined; sortOrder?: "asc" | "desc" | undefined; ids?: Array<string> | undefined; relations?: Array<"projects" | "owner"> | undefined };
    output: { items: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; type: "personal" | "organization"; ownerId: string; projects?: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; slug: string; description: string | null; metadata: Record<string, unknown>; primaryTagId: string | null }>; owner?: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; pictureUrl: string | null; metadata: Record<string, unknown> } }>; totalCount: number; hasNextPage: boolean };
  };
  /** The apps that act for people in an organization, in its own projects and in those that it uses (`GET /api/agents`) */
  listAgents: {
    input: { userId?: string | undefined; page?: number | undefined; limit?: number | undefined; scope: { tenant: "organization"; id: string } };
    output: { items: Array<{ user: { id: string; name: string | null }; app: { clientId: string; name: string; domain: string | null; documentUrl: string | null }; project: { id: string; name: string | null; scope: { tenant: string; id: string } }; organization: { name: string } | null; scopes: Array<string>; isByExchange: boolean; grantedAt: string; lastUsedAt: string; endedAt: string | null; endedByOrganizationAt: string | null; lastHour: { requests: number; refused: number }; lastDay: { requests: number; refused: number }; lastActions: Array<{ action: string; outcome: string; at: string }> }>; totalCount: number; hasNextPage: boolean };
  };
  /** List the API keys of a project, or of one user of it (`GET /api/api-keys`) */
  listApiKeys: {
    input: { page?: number | undefined; limit?: number | undefined; search?: string | undefined; sortField?: "name" | "createdAt" | "updatedAt" | "expiresAt" | "lastUsedAt" | undefined; sortOrder?: "asc" | "desc" | undefined; ids?: Array<string> | undefined; relations?: Array<"role"> | undefined; scope: { tenant: "accountProject" | "organizationProject" | "accountProjectUser" | "organizationProjectUser"; id: string } };
    output: { items: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; clientId: string; name: string; description: string | null; roleId: string | null; expiresAt: string | null; lastUsedAt: string | null; isRevoked: boolean; revokedAt: string | null; revokedBy: string | null; createdBy: string; parentKeyId: string | null; role?: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; description: string | null; metadata: Record<string, unknown>; isBuiltIn: boolean; primaryTagId: string | null } | null }>; totalCount: number; hasNextPage: boolean };
  };
  /** What happened in a scope, newest first: every change, refusal and sign-in, from all services (`GET /api/audit-events`) */
  listAuditEvents: {
    input: { actorId?: string | undefined; action?: string | undefined; outcome?: "ok" | "refused" | "failed" | undefined; targetType?: string | undefined; targetId?: string | undefined; from?: string | undefined; to?: string | undefined; cursor?: string | undefined; limit?: number | undefined; includeProjects?: boolean | undefined; scope: { tenant: "account" | "organization" | "accountProject" | "organizationProject"; id: string } };
    output: { items: Array<{ id: string; at: string; action: string; outcome: "ok" | "refused" | "failed"; reason: string | null; actor: { type: "user" | "key" | "app" | "serviceAccount" | "anonymous" | "system"; id: string | null; name: string | null; keyId: string | null; appId: string | null; credentialId: string | null }; scope: { tenant: string; id: string } | null; target: { type: string | null; id: string | null; name: string | null }; changes: Array<{ field: string; before: unknown; after: unknown }>; detail: Record<string, unknown>; ipAddress: string | null; userAgent: string | null; requestId: string | null; hash: string | null }>; nextCursor: string | null };
  };
  /** The last tests of an identity provider, at most twenty of the last 24 hours: what it said, what a sign-in makes of it, what is missing (`GET /api/connections/{id}/tests`) */
  listConnectionTests: {
    input: { id: string; scope: { tenant: "organization"; id: string } };
    output: { items: Array<{ id: string; connectionId: string; status: "waiting" | "opened" | "passed" | "refused" | "failed"; createdBy: string | null; createdAt: string; openedAt: string | null; finishedAt: string | null; expiresAt: string; cause: { kind: "upstream-error" | "client-refused" | "unreachable" | "discovery" | "userinfo" | "issuer" | "audience" | "signature" | "clock" | "request" | "answer" | "ours"; reason: string; upstreamError: string | null; upstreamDescription: string | null } | null; came: Array<{ name: string; values: Array<string>; isCut: boolean }>; became: { subject: string; email: string | null; name: string | null; isEmailVerified: boolean; isDomainProven: boolean; person: "known" | "new" | "linked" | null; mapped: Array<{ claim: string; value: string; roleId: string; grantId: string | null }>; roles: Array<{ roleId: string; name: string }> } | null; findings: Array<{ kind: "no-domain" | "no-address" | "address-not-allowed" | "address-not-verified" | "address-not-held" | "address-taken" | "link-needed" | "not-a-member" | "organization-full" | "refused" | "no-name" | "claim-missing" | "groups-elsewhere" | "nothing-mapped" | "default-role-gone"; isBlocking: boolean; claims: Array<string> }> }> };
  };
  /** The identity providers of an organization, without their secrets (`GET /api/connections`) */
  listConnections: {
    input: { page?: number | undefined; limit?: number | undefined; search?: string | undefined; sortField?: "name" | "createdAt" | "updatedAt" | undefined; sortOrder?: "asc" | "desc" | undefined; ids?: Array<string> | undefined; scope: { tenant: "organization"; id: string } };
    output: { items: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; type: "oidc" | "saml"; name: string; status: "draft" | "active" | "disabled"; oidc: { issuer: string; clientId: string; scopes: Array<string> } | null; saml: { metadataUrl: string | null; entityId: string; ssoUrl: string; certificates: Array<{ fingerprint: string; endsAt: string }> } | null; defaultRoleId: string; roleMapping: Array<{ claim: string; value: string; roleId: string; grantId: string | null }>; isEnforced: boolean; breakGlassUserIds: Array<string>; enforcedAt: string | null; linkOnProvenDomain: boolean; trustedAcr: Array<string>; callbackUrl: string | null; backchannelLogoutUrl: string | null; spEntityId: string | null; acsUrl: string | null; spMetadataUrl: string | null; signInUrl: string; createdBy: string; lastUsedAt: string | null; testedAt: string | null }>; totalCount: number; hasNextPage: boolean };
  };
  /** Lists the groups that the organization’s directory sends, with the roles that they give in this scope. (`GET /api/directory-groups`) */
  listDirectoryGroups: {
    input: { page?: number | undefined; limit?: number | undefined; search?: string | undefined; sortField?: "displayName" | "createdAt" | "updatedAt" | undefined; sortOrder?: "asc" | "desc" | undefined; ids?: Array<string> | undefined; scope: { tenant: "organization" | "organizationProject"; id: string } };
    output: { items: Array<{ id: string; displayName: string; memberCount: number; roleIds: Array<string>; waitingRoleIds: Array<string>; change: { peopleCount: number; doneCount: number } | null; createdAt: string; updatedAt: string }>; totalCount: number; hasNextPage: boolean };
  };
  /** The people whom the directory of an organization has sent by SCIM, and what became of each here (`GET /api/directory-people`) */
  listDirectoryPeople: {
    input: { page?: number | undefined; limit?: number | undefined; search?: string | undefined; sortField?: "userName" | "createdAt" | "updatedAt" | undefined; sortOrder?: "asc" | "desc" | undefined; ids?: Array<string> | undefined; state?: "active" | "inactive" | "invited" | "waiting" | "detached" | "absent" | undefined; scope: { tenant: "organization"; id: string } };
    output: { items: Array<{ id: string; userName: string; name: string; email: string; externalId: string | null; isActive: boolean; state: "active" | "inactive" | "invited" | "waiting" | "detached" | "absent"; userId: string | null; createdAt: string; updatedAt: string }>; totalCount: number; hasNextPage: boolean };
  };
  /** What the directory of an organization has sent by SCIM, and the answers: the last thousand requests, newest first, for 30 days (`GET /api/directory-requests`) */
  listDirectoryRequests: {
    input: { page?: number | undefined; limit?: number | undefined; isRefused?: boolean | undefined; scope: { tenant: "organization"; id: string } };
    output: { items: Array<{ id: string; at: string; serviceAccountId: string; credentialId: string; ipAddress: string; method: string; path: string; filter: string | null; status: number; scimType: string | null; detail: string | null; durationMs: number; body: unknown }>; totalCount: number; hasNextPage: boolean };
  };
  /** The roles that a member has in this scope by groups of the directory; they are not changed by hand (`GET /api/directory-roles`) */
  listDirectoryRoles: {
    input: { userId: string; scope: { tenant: "organization" | "organizationProject"; id: string } };
    output: { items: Array<{ id: string; name: string; groups: Array<{ id: string; displayName: string }> }> };
  };
  /** The domains that an organization has claimed, with what proves them (`GET /api/domains`) */
  listDomains: {
    input: { page?: number | undefined; limit?: number | undefined; search?: string | undefined; sortField?: "domain" | "createdAt" | "updatedAt" | undefined; sortOrder?: "asc" | "desc" | undefined; ids?: Array<string> | undefined; status?: "pending" | "verified" | "failing" | "lost" | undefined; scope: { tenant: "organization"; id: string } };
    output: { items: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; domain: string; status: "pending" | "verified" | "failing" | "lost"; challenge: { name: string; value: string }; verifiedAt: string | null; checkedAt: string | null; failingSince: string | null; lostAt: string | null; problem: "record_missing" | "record_differs" | "dns_failed" | "claimed_elsewhere" | null }>; totalCount: number; hasNextPage: boolean };
  };
  /** Lists the groups (bundles of permissions) of a scope. (`GET /api/groups`) */
  listGroups: {
    input: { page?: number | undefined; limit?: number | undefined; search?: string | undefined; sortField?: "name" | "createdAt" | "updatedAt" | undefined; sortOrder?: "asc" | "desc" | undefined; ids?: Array<string> | undefined; relations?: Array<"users" | "permissions" | "tags"> | undefined; tagIds?: Array<string> | undefined; scope: { tenant: "account" | "organization" | "accountProject" | "organizationProject"; id: string } };
    output: { items: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; description: string | null; isShared: boolean; metadata: Record<string, unknown>; primaryTagId: string | null; roleId: string | null; users?: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; pictureUrl: string | null; metadata: Record<string, unknown> }>; permissions?: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; description: string | null; isShared: boolean; resourceId: string; action: string; condition: Record<string, unknown> | null; primaryTagId: string | null }>; tags?: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; color: string }> }>; totalCount: number; hasNextPage: boolean };
  };
  /** Members who could not go on if the organization demanded a second factor (`GET /api/organization-members/without-second-factor`) */
  listMembersWithoutSecondFactor: {
    input: { limit?: number | undefined; cursor?: string | undefined; scope: { tenant: "organization"; id: string } };
    output: { items: Array<{ userId: string; name: string; email: string | null }>; nextCursor: string | null };
  };
  /** The caller’s accounts: at most one of each type (`GET /api/me/accounts`) */
  listMyAccounts: {
    input: Record<never, never>;
    output: { accounts: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; type: "personal" | "organization"; ownerId: string }> };
  };
  /** The apps that act for the caller, after a sign-in or by the token of another app, and what they did last (`GET /api/me/agents`) */
  listMyAgents: {
    input: { page?: number | undefined; limit?: number | undefined };
    output: { items: Array<{ app: { clientId: string; name: string; domain: string | null; documentUrl: string | null }; project: { id: string; name: string | null; scope: { tenant: string; id: string } }; organization: { name: string } | null; scopes: Array<string>; isByExchange: boolean; grantedAt: string; lastUsedAt: string; endedAt: string | null; endedByOrganizationAt: string | null; lastHour: { requests: number; refused: number }; lastDay: { requests: number; refused: number }; lastActions: Array<{ action: string; outcome: string; at: string }> }>; totalCount: number; hasNextPage: boolean };
  };
  /** What the caller did, wherever it was, and sign-ins to their account that were refused (`GET /api/me/audit-events`) */
  listMyAuditEvents: {
    input: { actorId?: string | undefined; action?: string | undefined; outcome?: "ok" | "refused" | "failed" | undefined; targetType?: string | undefined; targetId?: string | undefined; from?: string | undefined; to?: string | undefined; cursor?: string | undefined; limit?: number | undefined };
    output: { items: Array<{ id: string; at: string; action: string; outcome: "ok" | "refused" | "failed"; reason: string | null; actor: { type: "user" | "key" | "app" | "serviceAccount" | "anonymous" | "system"; id: string | null; name: string | null; keyId: string | null; appId: string | null; credentialId: string | null }; scope: { tenant: string; id: string } | null; target: { type: string | null; id: string | null; name: string | null }; changes: Array<{ field: string; before: unknown; after: unknown }>; detail: Record<string, unknown>; ipAddress: string | null; userAgent: string | null; requestId: string | null; hash: string | null }>; nextCursor: string | null };
  };
  /** How the caller can sign in; at most one method for each provider (`GET /api/me/authentication-methods`) */
  listMyAuthenticationMethods: {
    input: { page?: number | undefined; limit?: number | undefined };
    output: { items: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; userId: string; provider: string; providerId: string | null; isVerified: boolean; isHeld: boolean; isPrimary: boolean; lastUsedAt: string | null }>; totalCount: number; hasNextPage: boolean };
  };
  /** The apps that may act in the caller’s name, and what they may do; the latest used first (`GET /api/me/consents`) */
  listMyConsents: {
    input: { page?: number | undefined; limit?: number | undefined };
    output: { items: Array<{ app: { clientId: string; name: string }; project: { id: string; name: string | null; scope: { tenant: string; id: string } }; organization: { name: string } | null; scopes: Array<string>; grantedAt: string; lastUsedAt: string }>; totalCount: number; hasNextPage: boolean };
  };
  /** Where the caller is signed in; the latest used first (`GET /api/me/sessions`) */
  listMySessions: {
    input: { page?: number | undefined; limit?: number | undefined };
    output: { items: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; userId: string; authenticationMethodId: string | null; audience: string; scope: { tenant: string; id: string } | null; userAgent: string; ipAddress: string; expiresAt: string; lastUsedAt: string; isCurrent: boolean; grantedBy: { sessionId: string; userAgent: string; ipAddress: string; grantedAt: string } | null; grantedSessions: number }>; totalCount: number; hasNextPage: boolean };
  };
  /** Supporters who ask to act, act or acted as the caller, and what they did last; the newest request first (`GET /api/me/support-access`) */
  listMySupportAccesses: {
    input: { page?: number | undefined; limit?: number | undefined };
    output: { items: Array<{ id: string; supporter: { id: string; name: string | null; email: string | null }; user: { id: string; name: string | null }; organization: { id: string; name: string | null }; project: { id: string; name: string | null; scope: { tenant: string; id: string } }; reason: string; minutes: number; status: "requested" | "allowed" | "active" | "refused" | "ended"; requestedAt: string; decidedBy: string | null; decidedAt: string | null; mayWrite: boolean; mayExport: boolean; startedAt: string | null; endsAt: string; endedAt: string | null; endedBy: "supporter" | "person" | "organization" | "consent" | "session" | "rights" | "membership" | "grant" | "time" | null; lastActions: Array<{ action: string; outcome: string; at: string }> }>; totalCount: number; hasNextPage: boolean };
  };
  /** The invitations of an organization (`GET /api/organization-invitations`) */
  listOrganizationInvitations: {
    input: { page?: number | undefined; limit?: number | undefined; search?: string | undefined; sortField?: "email" | "invitedAt" | "expiresAt" | "createdAt" | "updatedAt" | undefined; sortOrder?: "asc" | "desc" | undefined; ids?: Array<string> | undefined; status?: "pending" | "accepted" | "expired" | "revoked" | undefined; scope: { tenant: "organization"; id: string } };
    output: { items: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; organizationId: string; email: string; name: string | null; roleId: string; status: "pending" | "accepted" | "expired" | "revoked"; invitedBy: string; invitedAt: string; expiresAt: string; acceptedAt: string | null; isMailed: boolean }>; totalCount: number; hasNextPage: boolean };
  };
  /** Members and open invitations of an organization; with a status, invitations of that status only (`GET /api/organization-members`) */
  listOrganizationMembers: {
    input: { page?: number | undefined; limit?: number | undefined; search?: string | undefined; sortField?: "name" | "email" | "createdAt" | undefined; sortOrder?: "asc" | "desc" | undefined; ids?: Array<string> | undefined; status?: "pending" | "accepted" | "expired" | "revoked" | undefined; scope: { tenant: "organization"; id: string } };
    output: { items: Array<{ id: string; type: "member" | "invitation"; name: string | null; email: string | null; role: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; description: string | null; metadata: Record<string, unknown>; primaryTagId: string | null; isBuiltIn: boolean; rank: number | null } | null; metadata: Record<string, unknown>; isBlocked: boolean; blockedAt: string | null; directory: { isActive: boolean | null; isDetached: boolean; detachedAt: string | null } | null; status: "pending" | "accepted" | "expired" | "revoked" | null; user: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; pictureUrl: string | null; metadata: Record<string, unknown> } | null; invitation: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; organizationId: string; email: string; name: string | null; roleId: string; status: "pending" | "accepted" | "expired" | "revoked"; invitedBy: string; invitedAt: string; expiresAt: string; acceptedAt: string | null; isMailed: boolean } | null; createdAt: string; updatedAt: string; deletedAt: string | null; version?: string }>; totalCount: number; hasNextPage: boolean };
  };
  /** The organizations that the account’s owner is a member of; in an organization’s scope itself (`GET /api/organizations`) */
  listOrganizations: {
    input: { page?: number | undefined; limit?: number | undefined; search?: string | undefined; sortField?: "name" | "slug" | "createdAt" | "updatedAt" | undefined; sortOrder?: "asc" | "desc" | undefined; ids?: Array<string> | undefined; relations?: Array<"users" | "projects" | "roles" | "groups"> | undefined; tagIds?: Array<string> | undefined; scope: { tenant: "account" | "organization"; id: string } };
    output: { items: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; slug: string; metadata: Record<string, unknown>; security: { requireSecondFactor: boolean; maxSessionAgeMinutes: number | null; allowEmailCode: boolean }; users?: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; pictureUrl: string | null; metadata: Record<string, unknown> }>; projects?: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; slug: string; description: string | null; metadata: Record<string, unknown>; primaryTagId: string | null }>; roles?: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; description: string | null; metadata: Record<string, unknown>; primaryTagId: string | null; isBuiltIn: boolean; rank: number | null }>; groups?: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; description: string | null; metadata: Record<string, unknown>; primaryTagId: string | null }> }>; totalCount: number; hasNextPage: boolean };
  };
  /** Everything that the caller may do in a scope, with the condition where there is one. (`GET /api/auth/permissions`) */
  listPermissions: {
    input: { scope?: { tenant: "account" | "organization" | "accountProject" | "organizationProject"; id: string } | undefined };
    output: { permissions: Array<{ resource: string; action: string; condition: Record<string, unknown> | null; matchedPermission: { id: string | null; name: string; resource: string; action: string; isBuiltIn: boolean; role: { id: string; name: string }; group: { id: string; name: string } | null } }>; consistencyToken: string | null };
  };
  /** What happened in the whole installation, newest first; each tenant of the page finds in its own log who read it (`GET /api/platform/audit-events`) */
  listPlatformAuditEvents: {
    input: { actorId?: string | undefined; action?: string | undefined; outcome?: "ok" | "refused" | "failed" | undefined; targetType?: string | undefined; targetId?: string | undefined; from?: string | undefined; to?: string | undefined; cursor?: string | undefined; limit?: number | undefined; tenantId?: string | undefined };
    output: { items: Array<{ id: string; at: string; action: string; outcome: "ok" | "refused" | "failed"; reason: string | null; actor: { type: "user" | "key" | "app" | "serviceAccount" | "anonymous" | "system"; id: string | null; name: string | null; keyId: string | null; appId: string | null; credentialId: string | null }; scope: { tenant: string; id: string } | null; target: { type: string | null; id: string | null; name: string | null }; changes: Array<{ field: string; before: unknown; after: unknown }>; detail: Record<string, unknown>; ipAddress: string | null; userAgent: string | null; requestId: string | null; hash: string | null }>; nextCursor: string | null };
  };
  /** List the identity providers of the installation, with their settings and when somebody last signed in by each (`GET /api/platform/connections`) */
  listPlatformConnections: {
    input: Record<never, never>;
    output: { items: Array<{ name: string; type: "oidc" | "oauth2" | null; profile: string | null; status: "active" | "disabled"; issuer: string | null; clientId: string | null; scopes: Array<string>; callbackUrl: string | null; projectCallbackUrl: string | null; signInUrl: string | null; lastUsedAt: string | null }> };
  };
  /** The service accounts of the platform: who made each, and when and from where it was last used (`GET /api/platform/service-accounts`) */
  listPlatformServiceAccounts: {
    input: { page?: number | undefined; limit?: number | undefined; search?: string | undefined; sortField?: "name" | "createdAt" | "updatedAt" | undefined; sortOrder?: "asc" | "desc" | undefined; ids?: Array<string> | undefined };
    output: { items: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; clientId: string; name: string; description: string | null; roleIds: Array<"Provisioner">; elevated: Array<string>; allowedNetworks: Array<string>; credentials: Array<{ id: string; type: "secret" | "directory" | "jwks" | "trust"; lastFour: string | null; jwks: { keys: Array<Record<string, unknown>> } | null; jwksUri: string | null; issuer: string | null; audience: string | null; claims: Record<string, unknown> | null; createdBy: string; createdAt: string; expiresAt: string | null; lastUsedAt: string | null; lastUsedFrom: string | null }>; createdBy: string; isSuspended: boolean; lastUsedAt: string | null; lastUsedFrom: string | null; lastUsedCredentialId: string | null }>; totalCount: number; hasNextPage: boolean };
  };
  /** Who allowed an app to act in their name, and what; the latest used first (`GET /api/project-apps/{id}/consents`) */
  listProjectAppConsents: {
    input: { id: string; page?: number | undefined; limit?: number | undefined; scope: { tenant: "accountProject" | "organizationProject"; id: string } };
    output: { items: Array<{ user: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; pictureUrl: string | null; metadata: Record<string, unknown> }; scopes: Array<string>; grantedAt: string; lastUsedAt: string }>; totalCount: number; hasNextPage: boolean };
  };
  /** The client secrets of an app: when each was made and last used, and its last four characters (`GET /api/project-apps/{id}/secrets`) */
  listProjectAppSecrets: {
    input: { id: string; scope: { tenant: "accountProject" | "organizationProject"; id: string } };
    output: { items: Array<{ id: string; lastFour: string; createdAt: string; lastUsedAt: string | null }> };
  };
  /** The apps of a project (`GET /api/project-apps`) */
  listProjectApps: {
    input: { page?: number | undefined; limit?: number | undefined; search?: string | undefined; sortField?: "name" | "createdAt" | "updatedAt" | undefined; sortOrder?: "asc" | "desc" | undefined; ids?: Array<string> | undefined; relations?: Array<"tags"> | undefined; tagIds?: Array<string> | undefined; scope: { tenant: "accountProject" | "organizationProject"; id: string } };
    output: { items: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; projectId: string; clientId: string; documentUrl: string | null; name: string; redirectUris: Array<string>; scopes: Array<string>; enabledProviders: Array<string>; allowSignUp: boolean; signUpRoleId: string | null; type: "web" | "spa" | "native" | "machine" | null; tokenEndpointAuthMethod: "client_secret_basic" | "client_secret_post" | "private_key_jwt" | "none" | null; jwks: { keys: Array<Record<string, unknown>> } | null; jwksUri: string | null; postLogoutRedirectUris: Array<string>; backchannelLogoutUri: string | null; grantTypes: Array<"authorization_code" | "refresh_token" | "client_credentials" | "urn:ietf:params:oauth:grant-type:device_code" | "urn:ietf:params:oauth:grant-type:token-exchange">; roleId: string | null; isFirstParty: boolean; requireSecondFactor: boolean; requirePkce: boolean; actsInGrants: boolean; allowOrganizationSignUp: boolean; allowEmailCode: boolean; dpopBoundAccessTokens: boolean; idTokenSignedResponseAlg: "RS256" | "ES256"; mayAct: Array<string>; claims: Array<{ name: string; source: string; in: "idToken" | "userinfo" | "accessToken" }>; leftOutClaims: { names: Array<string>; at: string } | null; tags?: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; color: string }> }>; totalCount: number; hasNextPage: boolean };
  };
  /** The people of a customer who hold a role in the project, for its owner, who serves them; nothing else of the customer (`GET /api/project-grants/{id}/members`) */
  listProjectGrantMembers: {
    input: { id: string; limit?: number | undefined; after?: string | undefined; scope: { tenant: "organizationProject"; id: string } };
    output: { members: Array<{ userId: string; name: string | null; email: string | null; roles: Array<{ id: string; name: string }> }>; totalCount: number; nextAfter: string | null };
  };
  /** In a project: the organizations that use it. In an organization: the projects of others that it uses or is offered (`GET /api/project-grants`) */
  listProjectGrants: {
    input: { page?: number | undefined; limit?: number | undefined; search?: string | undefined; sortField?: "createdAt" | "updatedAt" | "name" | undefined; sortOrder?: "asc" | "desc" | undefined; ids?: Array<string> | undefined; status?: "offered" | "active" | "suspended" | "declined" | "ended" | undefined; scope: { tenant: "organizationProject" | "organization"; id: string } };
    output: { items: Array<{ id: string; projectId: string; organizationId: string | null; ownerOrganizationId: string; status: "offered" | "active" | "suspended" | "declined" | "ended"; roleIds: Array<string> | null; allowCustomRoles: boolean; maxMembers: number | null; metadata: Record<string, unknown>; reason: string | null; email: string | null; expiresAt: string | null; isMailed: boolean; createdAt: string; updatedAt: string; acceptedAt: string | null; endedAt: string | null; organization: { id: string; name: string; slug: string } | null; project: { id: string; name: string; slug: string }; ownerOrganization: { id: string; name: string; slug: string }; memberCount: number; roles: Array<{ id: string; name: string }> }>; totalCount: number; hasNextPage: boolean };
  };
  /** The projects of an account or an organization (`GET /api/projects`) */
  listProjects: {
    input: { page?: number | undefined; limit?: number | undefined; search?: string | undefined; sortField?: "name" | "slug" | "createdAt" | "updatedAt" | undefined; sortOrder?: "asc" | "desc" | undefined; ids?: Array<string> | undefined; relations?: Array<"accounts" | "users" | "roles" | "groups"> | undefined; tagIds?: Array<string> | undefined; scope: { tenant: "account" | "organization"; id: string } };
    output: { items: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; slug: string; description: string | null; metadata: Record<string, unknown>; primaryTagId: string | null; accounts?: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; type: "personal" | "organization"; ownerId: string }>; users?: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; pictureUrl: string | null; metadata: Record<string, unknown> }>; roles?: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; description: string | null; metadata: Record<string, unknown>; primaryTagId: string | null; isBuiltIn: boolean; rank: number | null }>; groups?: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; description: string | null; metadata: Record<string, unknown>; primaryTagId: string | null }> }>; totalCount: number; hasNextPage: boolean };
  };
  /** Lists the resources of a scope: the built-in ones, and in a project its own. (`GET /api/resources`) */
  listResources: {
    input: { page?: number | undefined; limit?: number | undefined; search?: string | undefined; sortField?: "name" | "slug" | "createdAt" | "updatedAt" | undefined; sortOrder?: "asc" | "desc" | undefined; ids?: Array<string> | undefined; relations?: Array<"permissions" | "tags"> | undefined; tagIds?: Array<string> | undefined; isBuiltIn?: boolean | undefined; scope: { tenant: "account" | "organization" | "accountProject" | "organizationProject"; id: string } };
    output: { items: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; description: string | null; isShared: boolean; slug: string; actions: Array<string>; isActive: boolean; isBuiltIn: boolean; identifier: string | null; primaryTagId: string | null; permissions?: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; description: string | null; isShared: boolean; resourceId: string; action: string; condition: Record<string, unknown> | null; primaryTagId: string | null }>; tags?: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; color: string }> }>; totalCount: number; hasNextPage: boolean };
  };
  /** Lists the roles of a scope, the built-in ones included. (`GET /api/roles`) */
  listRoles: {
    input: { page?: number | undefined; limit?: number | undefined; search?: string | undefined; sortField?: "name" | "createdAt" | "updatedAt" | undefined; sortOrder?: "asc" | "desc" | undefined; ids?: Array<string> | undefined; relations?: Array<"users" | "groups" | "tags"> | undefined; tagIds?: Array<string> | undefined; scope: { tenant: "account" | "organization" | "accountProject" | "organizationProject"; id: string } };
    output: { items: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; description: string | null; isShared: boolean; metadata: Record<string, unknown>; isBuiltIn: boolean; rank: number | null; isGrantable: boolean; primaryTagId: string | null; users?: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; pictureUrl: string | null; metadata: Record<string, unknown> }>; groups?: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; description: string | null; isShared: boolean; metadata: Record<string, unknown>; primaryTagId: string | null; roleId: string | null }>; tags?: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; color: string }> }>; totalCount: number; hasNextPage: boolean };
  };
  /** Lists the permissions of a scope. (`GET /api/permissions`) */
  listScopePermissions: {
    input: { page?: number | undefined; limit?: number | undefined; search?: string | undefined; sortField?: "name" | "action" | "createdAt" | "updatedAt" | undefined; sortOrder?: "asc" | "desc" | undefined; ids?: Array<string> | undefined; relations?: Array<"resource" | "tags"> | undefined; tagIds?: Array<string> | undefined; scope: { tenant: "account" | "organization" | "accountProject" | "organizationProject"; id: string } };
    output: { items: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; description: string | null; isShared: boolean; resourceId: string; action: string; condition: Record<string, unknown> | null; primaryTagId: string | null; resource?: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; description: string | null; isShared: boolean; slug: string; actions: Array<string>; isActive: boolean; isBuiltIn: boolean; identifier: string | null; primaryTagId: string | null } | null; tags?: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; color: string }> }>; totalCount: number; hasNextPage: boolean };
  };
  /** The service accounts of an organization or account: who made each, what it may do, and when and from where it was last used (`GET /api/service-accounts`) */
  listServiceAccounts: {
    input: { page?: number | undefined; limit?: number | undefined; search?: string | undefined; sortField?: "name" | "createdAt" | "updatedAt" | undefined; sortOrder?: "asc" | "desc" | undefined; ids?: Array<string> | undefined; scope: { tenant: "organization" | "account"; id: string } };
    output: { items: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; clientId: string; name: string; description: string | null; roleIds: Array<string>; elevated: Array<string>; allowedNetworks: Array<string>; credentials: Array<{ id: string; type: "secret" | "directory" | "jwks" | "trust"; lastFour: string | null; jwks: { keys: Array<Record<string, unknown>> } | null; jwksUri: string | null; issuer: string | null; audience: string | null; claims: Record<string, unknown> | null; createdBy: string; createdAt: string; expiresAt: string | null; lastUsedAt: string | null; lastUsedFrom: string | null }>; createdBy: string; isSuspended: boolean; lastUsedAt: string | null; lastUsedFrom: string | null; lastUsedCredentialId: string | null }>; totalCount: number; hasNextPage: boolean };
  };
  /** The links by which the IT of an organization sets up its sign-in, with what became of them (`GET /api/connections/set-up-links`) */
  listSetUpLinks: {
    input: { page?: number | undefined; limit?: number | undefined; search?: string | undefined; sortField?: "createdAt" | "expiresAt" | undefined; sortOrder?: "asc" | "desc" | undefined; ids?: Array<string> | undefined; scope: { tenant: "organization"; id: string } };
    output: { items: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; state: "open" | "begun" | "finished" | "revoked" | "expired" | "ended"; email: string | null; createdBy: string; allowsDirectory: boolean; expiresAt: string; begunAt: string | null; begunFrom: string | null; finishedAt: string | null; revokedAt: string | null; connectionId: string | null; directoryAccountId: string | null }>; totalCount: number; hasNextPage: boolean };
  };
  /** List the signing keys of a project, without key material (`GET /api/signing-keys`) */
  listSigningKeys: {
    input: { page?: number | undefined; limit?: number | undefined; search?: string | undefined; sortField?: "createdAt" | "activatedAt" | "rotatedAt" | "status" | undefined; sortOrder?: "asc" | "desc" | undefined; ids?: Array<string> | undefined; scope: { tenant: "accountProject" | "organizationProject"; id: string } };
    output: { items: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; kid: string; es256Kid: string | null; scope: { tenant: "accountProject" | "organizationProject"; id: string }; status: "next" | "active" | "rotated"; activatedAt: string | null; rotatedAt: string | null }>; totalCount: number; hasNextPage: boolean };
  };
  /** Who asks to act, acts or acted as a person of the organization, or by support of the project; the newest request first (`GET /api/support-access`) */
  listSupportAccesses: {
    input: { isOpen?: boolean | undefined; page?: number | undefined; limit?: number | undefined; scope: { tenant: "organization" | "organizationProject"; id: string } };
    output: { items: Array<{ id: string; supporter: { id: string; name: string | null; email: string | null }; user: { id: string; name: string | null }; organization: { id: string; name: string | null }; project: { id: string; name: string | null; scope: { tenant: string; id: string } }; reason: string; minutes: number; status: "requested" | "allowed" | "active" | "refused" | "ended"; requestedAt: string; decidedBy: string | null; decidedAt: string | null; mayWrite: boolean; mayExport: boolean; startedAt: string | null; endsAt: string; endedAt: string | null; endedBy: "supporter" | "person" | "organization" | "consent" | "session" | "rights" | "membership" | "grant" | "time" | null; lastActions: Array<{ action: string; outcome: string; at: string }> }>; totalCount: number; hasNextPage: boolean };
  };
  /** Whose supporters may begin without asking, until when (`GET /api/support-consents`) */
  listSupportConsents: {
    input: { scope: { tenant: "organization"; id: string } };
    output: { items: Array<{ id: string; project: { id: string; name: string | null; scope: { tenant: string; id: string } }; mayWrite: boolean; mayExport: boolean; givenBy: { id: string; name: string | null }; givenAt: string; endsAt: string }> };
  };
  /** Lists the tags of a scope. (`GET /api/tags`) */
  listTags: {
    input: { page?: number | undefined; limit?: number | undefined; search?: string | undefined; sortField?: "name" | "color" | "createdAt" | "updatedAt" | undefined; sortOrder?: "asc" | "desc" | undefined; ids?: Array<string> | undefined; scope: { tenant: "account" | "organization" | "accountProject" | "organizationProject"; id: string } };
    output: { items: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; color: string }>; totalCount: number; hasNextPage: boolean };
  };
  /** All accounts and organizations, with their counts, limits and suspensions (`GET /api/platform/tenants`) */
  listTenants: {
    input: { page?: number | undefined; limit?: number | undefined; search?: string | undefined; sortField?: "name" | "createdAt" | "suspendedAt" | undefined; sortOrder?: "asc" | "desc" | undefined; ids?: Array<string> | undefined; tenant?: "account" | "organization" | undefined; isSuspended?: boolean | undefined };
    output: { items: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; tenant: "account" | "organization"; name: string; slug: string | null; email: string | null; ownerId: string | null; memberCount: number; openInvitationCount: number; projectCount: number; suspendedAt: string | null; suspensionReason: string | null; quotas: { members: number | null; projects: number | null; apiKeys: number | null; requestsPerMinute: number | null }; canProvision: boolean }>; totalCount: number; hasNextPage: boolean };
  };
  /** The people of an organization, or of a project with the members of its organization or its account’s owner (`GET /api/users`) */
  listUsers: {
    input: { page?: number | undefined; limit?: number | undefined; search?: string | undefined; sortField?: "name" | "email" | "createdAt" | "updatedAt" | undefined; sortOrder?: "asc" | "desc" | undefined; ids?: Array<string> | undefined; relations?: Array<"roles" | "tags" | "accounts" | "authenticationMethods"> | undefined; tagIds?: Array<string> | undefined; scope: { tenant: "organization" | "accountProject" | "organizationProject"; id: string } };
    output: { items: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; pictureUrl: string | null; metadata: Record<string, unknown>; primaryTagId?: string | null; roles?: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; description: string | null; metadata: Record<string, unknown>; isBuiltIn: boolean; primaryTagId: string | null }>; memberRole?: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; description: string | null; metadata: Record<string, unknown>; isBuiltIn: boolean; primaryTagId: string | null } | null; memberMetadata?: Record<string, unknown>; tags?: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; color: string }>; accounts?: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; type: "personal" | "organization"; ownerId: string }>; authenticationMethods?: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; userId: string; provider: string; providerId: string | null; isVerified: boolean; isHeld: boolean; isPrimary: boolean; lastUsedAt: string | null }> }>; totalCount: number; hasNextPage: boolean };
  };
  /** What a webhook was told, newest first, with every attempt and its answer (`GET /api/webhooks/{id}/deliveries`) */
  listWebhookDeliveries: {
    input: { id: string; page?: number | undefined; limit?: number | undefined; status?: "waiting" | "delivered" | "failed" | undefined; scope: { tenant: "organization" | "accountProject" | "organizationProject"; id: string } };
    output: { items: Array<{ id: string; eventType: string; auditId: string | null; at: string; status: "waiting" | "delivered" | "failed"; attempts: Array<{ at: string; status: number | null; durationMs: number; error: "status" | "timeout" | "connection" | "tls" | "no_public_address" | null }>; nextAttemptAt: string | null }>; totalCount: number; hasNextPage: boolean };
  };
  /** The webhooks of an organization or project; their secrets are never shown again (`GET /api/webhooks`) */
  listWebhooks: {
    input: { page?: number | undefined; limit?: number | undefined; search?: string | undefined; sortField?: "url" | "createdAt" | "updatedAt" | undefined; sortOrder?: "asc" | "desc" | undefined; ids?: Array<string> | undefined; scope: { tenant: "organization" | "accountProject" | "organizationProject"; id: string } };
    output: { items: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; url: string; eventTypes: Array<string>; outcomes: Array<"ok" | "refused" | "failed">; description: string; isActive: boolean; disabledAt: string | null; failingSince: string | null; createdBy: string; voucher: { type: "session" | "apiKey" | "app" | "serviceAccount"; userId: string | null; apiKeyId: string | null; appId: string | null; at: string; endedAt: string | null; until: string | null } | null }>; totalCount: number; hasNextPage: boolean };
  };
  /** Sign in; reuses the session of the same device (`POST /api/auth/login`) */
  login: {
    input: { provider: "email"; providerId: string; providerData: { password: string } };
    output: { accessToken?: string; refreshToken?: string; accounts?: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; type: "personal" | "organization"; ownerId: string }>; requiresEmailVerification?: boolean; secondFactor?: { token: string; methods: Array<"totp" | "passkey" | "recoveryCode"> } };
  };
  /** Sign in with a passkey; it counts as two factors (`POST /api/auth/passkey`) */
  loginWithPasskey: {
    input: { credential: Record<string, unknown> };
    output: { accessToken?: string; refreshToken?: string; accounts?: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; type: "personal" | "organization"; ownerId: string }>; requiresEmailVerification?: boolean; secondFactor?: { token: string; methods: Array<"totp" | "passkey" | "recoveryCode"> } };
  };
  /** End a session of the caller: the current one, or the one named (`POST /api/auth/logout`) */
  logout: {
    input: { sessionId?: string | undefined; endGranted?: boolean | undefined };
    output: { message: string };
  };
  /** End the current session (`POST /api/me/logout`) */
  logoutMe: {
    input: { endGranted?: boolean | undefined };
    output: { message: string };
  };
  /** Make the token by which the directory of the organization speaks SCIM, once for a set-up link. It does nothing until an Owner gives its service account the role Provisioning (`POST /api/set-up/{id}/directory`) */
  makeSetUpDirectory: {
    input: { id: string };
    output: { baseUrl: string; clientSecret: string; expiresAt: string };
  };
  /** Shows who would gain and lose which roles, if a group of the directory gave these; it changes nothing. (`POST /api/directory-groups/{id}/preview`) */
  previewDirectoryGroup: {
    input: { id: string } & { scope: { tenant: "organization" | "organizationProject"; id: string }; roleIds: Array<string> };
    output: { gainCount: number; lossCount: number; seatsLeft: number | null; people: Array<{ userId: string; name: string; gains: Array<string>; losses: Array<string> }> };
  };
  /** A mail with a text as it would be sent, with made-up names; nothing is kept (`POST /api/mail-texts/{template}/{language}/preview`) */
  previewMailText: {
    input: { template: "verify-email" | "reset-password" | "magic-link" | "invitation" | "grant-offer"; language: "en" | "de" | "es" | "fr" } & { scope: { tenant: "organization"; id: string }; subject: string; body: string };
    output: { subject: string; text: string; html: string };
  };
  /** Shows who of the last sign-ins by an identity provider would gain and lose which roles at the next one, if this were the mapping; it changes nothing (`POST /api/connections/{id}/role-mapping/preview`) */
  previewRoleMapping: {
    input: { id: string } & { scope: { tenant: "organization"; id: string }; roleMapping: Array<{ claim: string; value: string; roleId: string; grantId?: string | null | undefined }> };
    output: { signInCount: number; gainCount: number; lossCount: number; unknownClaims: Array<string>; people: Array<{ userId: string; name: string; email: string | null; signedInAt: string; gains: Array<{ roleId: string; grantId: string | null }>; losses: Array<{ roleId: string; grantId: string | null }>; isCertain: boolean; claims: Array<{ name: string; values: Array<string>; isCut: boolean }> }> };
  };
  /** Begin with a set-up link: from now on it works in this browser alone (`POST /api/connections/set-up-links/redeem`) */
  redeemSetUpLink: {
    input: { token: string };
    output: { id: string; expiresAt: string };
  };
  /** Exchange a refresh token for new tokens of the same session (`POST /api/auth/refresh`) */
  refreshSession: {
    input: { accessToken?: string | undefined; refreshToken?: string | undefined };
    output: { accessToken: string; refreshToken: string };
  };
  /** Register with an email address and a password; makes an account and a session (`POST /api/auth/register`) */
  register: {
    input: { name?: string | undefined; type?: "personal" | "organization" | undefined; provider: "email"; providerId: string; providerData: { password: string }; clientId?: string | undefined; interactionId?: string | undefined };
    output: { account: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; type: "personal" | "organization"; ownerId: string }; accessToken: string; refreshToken: string; requiresEmailVerification: boolean; verificationExpiry: string };
  };
  /** Say, with the token of an invitation, that the account of its address is not one’s own: deletes an account that never held the address (`POST /api/organization-invitations/reject-account`) */
  rejectInvitedAccount: {
    input: { token: string };
    output: { success: boolean };
  };
  /** Say, with the token of a verification mail, that one did not register: deletes the registration, or the address that was added (`POST /api/auth/reject-registration`) */
  rejectRegistration: {
    input: { token: string };
    output: { success: boolean };
  };
  /** Remove a member, or leave; the person loses all rights in the organization and its projects from their next request on (`DELETE /api/organization-members/{userId}`) */
  removeOrganizationMember: {
    input: { userId: string; scope: { tenant: "organization"; id: string } };
    output: { id: string; type: "member" | "invitation"; name: string | null; email: string | null; role: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; description: string | null; metadata: Record<string, unknown>; primaryTagId: string | null; isBuiltIn: boolean; rank: number | null } | null; metadata: Record<string, unknown>; isBlocked: boolean; blockedAt: string | null; directory: { isActive: boolean | null; isDetached: boolean; detachedAt: string | null } | null; status: "pending" | "accepted" | "expired" | "revoked" | null; user: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; pictureUrl: string | null; metadata: Record<string, unknown> } | null; invitation: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; organizationId: string; email: string; name: string | null; roleId: string; status: "pending" | "accepted" | "expired" | "revoked"; invitedBy: string; invitedAt: string; expiresAt: string; acceptedAt: string | null; isMailed: boolean } | null; createdAt: string; updatedAt: string; deletedAt: string | null; version?: string };
  };
  /** Extend an open or expired invitation, with a new mail (`POST /api/organization-invitations/{id}/renew`) */
  renewInvitation: {
    input: { id: string } & { scope: { tenant: "organization"; id: string } };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; organizationId: string; email: string; name: string | null; roleId: string; status: "pending" | "accepted" | "expired" | "revoked"; invitedBy: string; invitedAt: string; expiresAt: string; acceptedAt: string | null; isMailed: boolean };
  };
  /** Make ten new recovery codes; the old ones end, and so do the other sessions (`POST /api/me/recovery-codes`) */
  renewRecoveryCodes: {
    input: Record<never, never>;
    output: { recoveryCodes: Array<string> };
  };
  /** Send a delivery again at once, under the same webhook-id; when it fails, it is retried as at first (`POST /api/webhooks/{id}/deliveries/{deliveryId}/replay`) */
  replayWebhookDelivery: {
    input: { id: string; deliveryId: string } & { scope: { tenant: "organization" | "accountProject" | "organizationProject"; id: string } };
    output: { id: string; eventType: string; auditId: string | null; at: string; status: "waiting" | "delivered" | "failed"; attempts: Array<{ at: string; status: number | null; durationMs: number; error: "status" | "timeout" | "connection" | "tls" | "no_public_address" | null }>; nextAttemptAt: string | null };
  };
  /** Send a code to the caller’s address; entered in this session, it shows that address and account belong together (`POST /api/me/address-code`) */
  requestAddressCode: {
    input: Record<never, never>;
    output: { expiresAt: string };
  };
  /** Send a code to sign in with; the answer is the same for every address (`POST /api/auth/email-code`) */
  requestEmailCode: {
    input: { email: string; appId?: string | undefined; interactionId?: string | undefined };
    output: { success: boolean };
  };
  /** Mail a link that signs in to an app; the answer is the same for every app and address (`POST /api/auth/project/email/request`) */
  requestMagicLink: {
    input: { client_id: string; redirect_uri: string; state?: string | undefined; email: string };
    output: { success: boolean };
  };
  /** Send a link to choose a new password; the answer is the same for every address (`POST /api/auth/request-password-reset`) */
  requestPasswordReset: {
    input: { email: string; clientId?: string | undefined; interactionId?: string | undefined };
    output: { success: boolean };
  };
  /** Refuse the sessions of a member here until they have chosen a new password, and end the tokens of apps (`POST /api/organization-members/{userId}/require-new-password`) */
  requireNewMemberPassword: {
    input: { userId: string } & { scope: { tenant: "organization"; id: string } };
    output: { id: string; type: "member" | "invitation"; name: string | null; email: string | null; role: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; description: string | null; metadata: Record<string, unknown>; primaryTagId: string | null; isBuiltIn: boolean; rank: number | null } | null; metadata: Record<string, unknown>; isBlocked: boolean; blockedAt: string | null; directory: { isActive: boolean | null; isDetached: boolean; detachedAt: string | null } | null; status: "pending" | "accepted" | "expired" | "revoked" | null; user: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; pictureUrl: string | null; metadata: Record<string, unknown> } | null; invitation: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; organizationId: string; email: string; name: string | null; roleId: string; status: "pending" | "accepted" | "expired" | "revoked"; invitedBy: string; invitedAt: string; expiresAt: string; acceptedAt: string | null; isMailed: boolean } | null; createdAt: string; updatedAt: string; deletedAt: string | null; version?: string };
  };
  /** Send the mail of an open invitation again; the link in the earlier mail stops working (`POST /api/organization-invitations/{id}/resend-email`) */
  resendInvitationEmail: {
    input: { id: string } & { scope: { tenant: "organization"; id: string } };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; organizationId: string; email: string; name: string | null; roleId: string; status: "pending" | "accepted" | "expired" | "revoked"; invitedBy: string; invitedAt: string; expiresAt: string; acceptedAt: string | null; isMailed: boolean };
  };
  /** Send the verification mail again; the answer is the same for every address (`POST /api/auth/resend-verification`) */
  resendVerification: {
    input: { email: string; clientId?: string | undefined; interactionId?: string | undefined };
    output: { success: boolean };
  };
  /** Choose a new password with the token from the mail; ends all sessions, and in an account that does not hold its address all that was made before (`POST /api/auth/reset-password`) */
  resetPassword: {
    input: { token: string; newPassword: string };
    output: { success: boolean };
  };
  /** Let a customer use the project again (`POST /api/project-grants/{id}/resume`) */
  resumeProjectGrant: {
    input: { id: string } & { scope: { tenant: "organizationProject"; id: string } };
    output: { id: string; projectId: string; organizationId: string | null; ownerOrganizationId: string; status: "offered" | "active" | "suspended" | "declined" | "ended"; roleIds: Array<string> | null; allowCustomRoles: boolean; maxMembers: number | null; metadata: Record<string, unknown>; reason: string | null; email: string | null; expiresAt: string | null; isMailed: boolean; createdAt: string; updatedAt: string; acceptedAt: string | null; endedAt: string | null; organization: { id: string; name: string; slug: string } | null; project: { id: string; name: string; slug: string }; ownerOrganization: { id: string; name: string; slug: string }; memberCount: number; roles: Array<{ id: string; name: string }> };
  };
  /** End the suspension of an account or organization (`POST /api/platform/tenants/{id}/resume`) */
  resumeTenant: {
    input: { id: string };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; tenant: "account" | "organization"; name: string; slug: string | null; email: string | null; ownerId: string | null; memberCount: number; openInvitationCount: number; projectCount: number; suspendedAt: string | null; suspensionReason: string | null; quotas: { members: number | null; projects: number | null; apiKeys: number | null; requestsPerMinute: number | null }; canProvision: boolean };
  };
  /** Revoke an API key; what it was exchanged for, and the keys made with it, stop working at once. Revoking again changes nothing (`POST /api/api-keys/{id}/revoke`) */
  revokeApiKey: {
    input: { id: string } & { scope: { tenant: "accountProject" | "organizationProject" | "accountProjectUser" | "organizationProjectUser"; id: string } };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; clientId: string; name: string; description: string | null; roleId: string | null; expiresAt: string | null; lastUsedAt: string | null; isRevoked: boolean; revokedAt: string | null; revokedBy: string | null; createdBy: string; parentKeyId: string | null };
  };
  /** Revoke an invitation; its link stops working (`DELETE /api/organization-invitations/{id}`) */
  revokeInvitation: {
    input: { id: string; hardDelete?: boolean | undefined; scope: { tenant: "organization"; id: string } };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; organizationId: string; email: string; name: string | null; roleId: string; status: "pending" | "accepted" | "expired" | "revoked"; invitedBy: string; invitedAt: string; expiresAt: string; acceptedAt: string | null; isMailed: boolean };
  };
  /** End one of the caller’s sessions; its tokens are refused from then on (`DELETE /api/me/sessions/{id}`) */
  revokeMySession: {
    input: { id: string; endGranted?: boolean | undefined };
    output: { revoked: boolean };
  };
  /** Refuse a supporter, or end what one does as a person of the organization; the tokens end at once (`DELETE /api/support-access/{id}`) */
  revokeSupportAccess: {
    input: { id: string; scope: { tenant: "organization"; id: string } };
    output: { success: boolean };
  };
  /** Make the published next key of a project the active one; with `compromised`, refuse the old one from now on (`POST /api/signing-keys/rotate`) */
  rotateSigningKey: {
    input: { scope: { tenant: "accountProject" | "organizationProject"; id: string }; compromised?: boolean | undefined };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; kid: string; es256Kid: string | null; scope: { tenant: "accountProject" | "organizationProject"; id: string }; status: "next" | "active" | "rotated"; activatedAt: string | null; rotatedAt: string | null };
  };
  /** Enter the identity provider of a set-up link, or enter it anew. It stays a draft with the default role Viewer until the organization switches it on (`PUT /api/set-up/{id}/connection`) */
  saveSetUpConnection: {
    input: { id: string } & { type: "oidc" | "saml"; name: string; oidc?: { issuer: string; clientId: string; clientSecret?: string | undefined } | undefined; saml?: { metadataUrl?: string | undefined; metadataXml?: string | undefined } | undefined };
    output: { id: string; organization: string; madeBy: string; expiresAt: string; finishedAt: string | null; callbackUrl: string; spEntityId: string; acsUrl: string; spMetadataUrl: string | null; directory: { baseUrl: string; isMade: boolean } | null; domains: Array<{ id: string; domain: string; status: string; challenge: { name: string; value: string }; problem: string | null }>; connection: { type: "oidc" | "saml"; name: string; isDraft: boolean; oidc: { issuer: string; clientId: string } | null; saml: { metadataUrl: string | null; entityId: string; ssoUrl: string; certificates: Array<{ fingerprint: string; endsAt: string }> } | null } | null; test: { status: "waiting" | "opened" | "passed" | "refused" | "failed"; createdAt: string; cause: { kind: "upstream-error" | "client-refused" | "unreachable" | "discovery" | "userinfo" | "issuer" | "audience" | "signature" | "clock" | "request" | "answer" | "ours"; reason: string; upstreamError: string | null; upstreamDescription: string | null } | null; came: Array<{ name: string; values: Array<string>; isCut: boolean }>; became: { subject: string; email: string | null; name: string | null; isDomainProven: boolean } | null; findings: Array<{ kind: "no-domain" | "no-address" | "address-not-allowed" | "address-not-verified" | "address-not-held" | "address-taken" | "link-needed" | "not-a-member" | "organization-full" | "refused" | "no-name" | "claim-missing" | "groups-elsewhere" | "nothing-mapped" | "default-role-gone"; isBlocking: boolean; claims: Array<string> }> } | null };
  };
  /** Stop invitation mails to an address, or allow them again, with the token of such a mail (`POST /api/auth/invitation-mails`) */
  setInvitationMails: {
    input: { token: string; isWanted: boolean };
    output: { isWanted: boolean };
  };
  /** Stop invitation mails to the addresses that the caller’s account holds, or allow them again (`POST /api/me/invitation-mails`) */
  setMyInvitationMails: {
    input: { isWanted: boolean };
    output: { isWanted: boolean };
  };
  /** Choose the primary method of the caller (`PATCH /api/me/authentication-methods/{id}/primary`) */
  setMyPrimaryAuthenticationMethod: {
    input: { id: string };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; userId: string; provider: string; providerId: string | null; isVerified: boolean; isHeld: boolean; isPrimary: boolean; lastUsedAt: string | null };
  };
  /** Start a test of an identity provider, active or not: a round trip that signs nobody in, links nobody and changes nobody (`POST /api/connections/{id}/tests`) */
  startConnectionTest: {
    input: { id: string } & { scope: { tenant: "organization"; id: string } };
    output: { id: string; url: string; expiresAt: string };
  };
  /** Say that every second factor is lost; after a wait, a mail leads on. Any sign-in stops it (`POST /api/auth/recovery`) */
  startRecovery: {
    input: { token: string };
    output: { dueAt: string };
  };
  /** Start a test of the identity provider of a set-up link. The test signs nobody in and creates no account (`POST /api/set-up/{id}/tests`) */
  startSetUpTest: {
    input: { id: string };
    output: { url: string; expiresAt: string };
  };
  /** Suspend a grant; the customer’s people can do nothing in the project until the owner resumes it (`POST /api/project-grants/{id}/suspend`) */
  suspendProjectGrant: {
    input: { id: string } & { scope: { tenant: "organizationProject"; id: string }; reason?: string | undefined };
    output: { id: string; projectId: string; organizationId: string | null; ownerOrganizationId: string; status: "offered" | "active" | "suspended" | "declined" | "ended"; roleIds: Array<string> | null; allowCustomRoles: boolean; maxMembers: number | null; metadata: Record<string, unknown>; reason: string | null; email: string | null; expiresAt: string | null; isMailed: boolean; createdAt: string; updatedAt: string; acceptedAt: string | null; endedAt: string | null; organization: { id: string; name: string; slug: string } | null; project: { id: string; name: string; slug: string }; ownerOrganization: { id: string; name: string; slug: string }; memberCount: number; roles: Array<{ id: string; name: string }> };
  };
  /** Suspend an account or organization with its projects: its members, keys and apps are refused, its tokens end (`POST /api/platform/tenants/{id}/suspend`) */
  suspendTenant: {
    input: { id: string } & { reason?: string | undefined };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; tenant: "account" | "organization"; name: string; slug: string | null; email: string | null; ownerId: string | null; memberCount: number; openInvitationCount: number; projectCount: number; suspendedAt: string | null; suspensionReason: string | null; quotas: { members: number | null; projects: number | null; apiKeys: number | null; requestsPerMinute: number | null }; canProvision: boolean };
  };
  /** Send a mail with a text to oneself, with made-up names; five in ten minutes (`POST /api/mail-texts/{template}/{language}/test`) */
  testMailText: {
    input: { template: "verify-email" | "reset-password" | "magic-link" | "invitation" | "grant-offer"; language: "en" | "de" | "es" | "fr" } & { scope: { tenant: "organization"; id: string }; subject: string; body: string };
    output: { to: string };
  };
  /** Send a test event once, also while the webhook is switched off; its answer is in the list of deliveries (`POST /api/webhooks/{id}/test`) */
  testWebhook: {
    input: { id: string } & { scope: { tenant: "organization" | "accountProject" | "organizationProject"; id: string } };
    output: { id: string; eventType: string; auditId: string | null; at: string; status: "waiting" | "delivered" | "failed"; attempts: Array<{ at: string; status: number | null; durationMs: number; error: "status" | "timeout" | "connection" | "tls" | "no_public_address" | null }>; nextAttemptAt: string | null };
  };
  /** Evaluates a condition against an example, as a decision would. Nothing is stored or read. (`POST /api/auth/try-condition`) */
  tryCondition: {
    input: { scope: { tenant: "organization" | "accountProject" | "organizationProject"; id: string }; condition: Record<string, unknown> | null; example: { user?: Record<string, unknown> | undefined; member?: Record<string, unknown> | undefined; actor?: Record<string, unknown> | undefined; role?: Record<string, unknown> | undefined; group?: Record<string, unknown> | undefined; resource?: Record<string, unknown> | undefined; context?: Record<string, unknown> | undefined } };
    output: { holds: boolean; comparisons: Array<{ operator: string; path: string; actual: unknown; expected: unknown; holds: boolean; isUnmet: boolean; isHidden: boolean }> };
  };
  /** Let a blocked member in again; sessions and tokens from before stay refused (`POST /api/organization-members/{userId}/unblock`) */
  unblockMember: {
    input: { userId: string } & { scope: { tenant: "organization"; id: string } };
    output: { id: string; type: "member" | "invitation"; name: string | null; email: string | null; role: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; description: string | null; metadata: Record<string, unknown>; primaryTagId: string | null; isBuiltIn: boolean; rank: number | null } | null; metadata: Record<string, unknown>; isBlocked: boolean; blockedAt: string | null; directory: { isActive: boolean | null; isDetached: boolean; detachedAt: string | null } | null; status: "pending" | "accepted" | "expired" | "revoked" | null; user: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; pictureUrl: string | null; metadata: Record<string, unknown> } | null; invitation: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; organizationId: string; email: string; name: string | null; roleId: string; status: "pending" | "accepted" | "expired" | "revoked"; invitedBy: string; invitedAt: string; expiresAt: string; acceptedAt: string | null; isMailed: boolean } | null; createdAt: string; updatedAt: string; deletedAt: string | null; version?: string };
  };
  /** End the block of a person: they may sign in again; no session or token from before comes back (`POST /api/platform/users/{id}/unblock`) */
  unblockUser: {
    input: { id: string };
    output: { id: string; name: string; email: string | null; isPlatformAdministrator: boolean; isBlocked: boolean; blockedAt: string | null; blockReason: string | null; createdAt: string; updatedAt: string };
  };
  /** Update the branding of an organization, a project or an app; fields that are left out keep their value, and null removes a value (`PUT /api/branding`) */
  updateBranding: {
    input: { scope: { tenant: "organizationProject" | "accountProject" | "organization"; id: string }; appId?: string | undefined; name?: string | null | undefined; logo?: { file: string; filename: string; contentType: "image/png" | "image/jpeg" | "image/webp" | "image/gif" } | null | undefined; colors?: { primary?: string | null | undefined; background?: string | null | undefined } | null | undefined; termsUrl?: string | null | undefined; privacyUrl?: string | null | undefined; supportEmail?: string | null | undefined };
    output: { name: string | null; logoUrl: string | null; colors: { primary: string | null; background: string | null }; termsUrl: string | null; privacyUrl: string | null; supportEmail: string | null; updatedAt: string | null; shown: { name: string; logoUrl: string | null; colors: { primary: string; background: string | null }; termsUrl: string | null; privacyUrl: string | null; supportEmail: string | null; productName: string }; inherited: { name: string; logoUrl: string | null; colors: { primary: string; background: string | null }; termsUrl: string | null; privacyUrl: string | null; supportEmail: string | null; productName: string } };
  };
  /** Set from which hosts a project accepts client metadata documents. Clients of a host that is left out are refused at once, and so are their tokens (`PUT /api/client-documents`) */
  updateClientDocuments: {
    input: { scope: { tenant: "accountProject" | "organizationProject"; id: string }; allowClientMetadataDocuments?: boolean | undefined; clientDomains?: Array<string> | undefined; clientScopes?: Array<string> | undefined };
    output: { allowClientMetadataDocuments: boolean; clientDomains: Array<string>; clientScopes: Array<string>; updatedAt: string | null };
  };
  /** Change an identity provider, or switch it on and off. Its issuer never changes: another one is another connection. Switched off, the sessions that came by it end (`PATCH /api/connections/{id}`) */
  updateConnection: {
    input: { id: string } & { scope: { tenant: "organization"; id: string }; name?: string | undefined; defaultRoleId?: string | undefined; oidc?: { clientId?: string | undefined; clientSecret?: string | undefined; scopes?: Array<string> | undefined } | undefined; saml?: { metadataUrl?: string | undefined; metadataXml?: string | undefined } | undefined; roleMapping?: Array<{ claim: string; value: string; roleId: string; grantId?: string | null | undefined }> | undefined; isEnforced?: boolean | undefined; breakGlassUserIds?: Array<string> | undefined; linkOnProvenDomain?: boolean | undefined; trustedAcr?: Array<string> | undefined; status?: "active" | "disabled" | undefined };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; type: "oidc" | "saml"; name: string; status: "draft" | "active" | "disabled"; oidc: { issuer: string; clientId: string; scopes: Array<string> } | null; saml: { metadataUrl: string | null; entityId: string; ssoUrl: string; certificates: Array<{ fingerprint: string; endsAt: string }> } | null; defaultRoleId: string; roleMapping: Array<{ claim: string; value: string; roleId: string; grantId: string | null }>; isEnforced: boolean; breakGlassUserIds: Array<string>; enforcedAt: string | null; linkOnProvenDomain: boolean; trustedAcr: Array<string>; callbackUrl: string | null; backchannelLogoutUrl: string | null; spEntityId: string | null; acsUrl: string | null; spMetadataUrl: string | null; signInUrl: string; createdBy: string; lastUsedAt: string | null; testedAt: string | null };
  };
  /** Changes which roles a group of the directory gives its members in this scope: the organization, or a project that it uses. (`PATCH /api/directory-groups/{id}`) */
  updateDirectoryGroup: {
    input: { id: string } & { scope: { tenant: "organization" | "organizationProject"; id: string }; roleIds: Array<string> };
    output: { id: string; displayName: string; memberCount: number; roleIds: Array<string>; waitingRoleIds: Array<string>; change: { peopleCount: number; doneCount: number } | null; createdAt: string; updatedAt: string };
  };
  /** Changes a group; permissionIds replaces all its permissions. (`PATCH /api/groups/{id}`) */
  updateGroup: {
    input: { id: string } & { scope: { tenant: "organization" | "accountProject" | "organizationProject"; id: string }; name?: string | undefined; description?: string | null | undefined; metadata?: Record<string, unknown> | undefined; permissionIds?: Array<string> | undefined; tagIds?: Array<string> | undefined; primaryTagId?: string | null | undefined };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; description: string | null; isShared: boolean; metadata: Record<string, unknown>; primaryTagId: string | null; roleId: string | null };
  };
  /** Write the text of a mail in the name of an organization, in one language: plain text with {{variables}}, and no other link (`PUT /api/mail-texts/{template}/{language}`) */
  updateMailText: {
    input: { template: "verify-email" | "reset-password" | "magic-link" | "invitation" | "grant-offer"; language: "en" | "de" | "es" | "fr" } & { scope: { tenant: "organization"; id: string }; subject: string; body: string };
    output: { template: string; language: string; subject: string; body: string; variables: Array<string>; requiredVariables: Array<string>; isDefault: boolean; updatedAt: string | null };
  };
  /** Change one’s name or metadata (`PATCH /api/me`) */
  updateMe: {
    input: { name?: string | undefined; metadata?: Record<string, unknown> | undefined };
    output: { user: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; pictureUrl: string | null; metadata: Record<string, unknown> }; accounts: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; type: "personal" | "organization"; ownerId: string }>; email: string | null; isVerified: boolean; isHeld: boolean; acr: "aal1" | "aal2"; amr: Array<string>; authenticatedAt: string | null; hasSecondFactor: boolean; isPlatformAdministrator: boolean; support: { id: string; until: string; organizationId: string; mayWrite: boolean; mayExport: boolean; supporter: { id: string; name: string | null } } | null };
  };
  /** Rename an organization, replace its metadata or set what it demands of sessions (`PATCH /api/organizations/{id}`) */
  updateOrganization: {
    input: { id: string } & { scope: { tenant: "account" | "organization"; id: string }; name?: string | undefined; metadata?: Record<string, unknown> | undefined; security?: { requireSecondFactor?: boolean | undefined; maxSessionAgeMinutes?: number | null | undefined; allowEmailCode?: boolean | undefined } | undefined };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; slug: string; metadata: Record<string, unknown>; security: { requireSecondFactor: boolean; maxSessionAgeMinutes: number | null; allowEmailCode: boolean } };
  };
  /** Change a member’s role, or the metadata that conditions read as member.metadata; it takes effect with their next request (`PATCH /api/organization-members/{userId}`) */
  updateOrganizationMember: {
    input: { userId: string } & { scope: { tenant: "organization"; id: string }; roleId?: string | undefined; metadata?: Record<string, unknown> | undefined };
    output: { id: string; type: "member" | "invitation"; name: string | null; email: string | null; role: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; description: string | null; metadata: Record<string, unknown>; primaryTagId: string | null; isBuiltIn: boolean; rank: number | null } | null; metadata: Record<string, unknown>; isBlocked: boolean; blockedAt: string | null; directory: { isActive: boolean | null; isDetached: boolean; detachedAt: string | null } | null; status: "pending" | "accepted" | "expired" | "revoked" | null; user: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; pictureUrl: string | null; metadata: Record<string, unknown> } | null; invitation: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; organizationId: string; email: string; name: string | null; roleId: string; status: "pending" | "accepted" | "expired" | "revoked"; invitedBy: string; invitedAt: string; expiresAt: string; acceptedAt: string | null; isMailed: boolean } | null; createdAt: string; updatedAt: string; deletedAt: string | null; version?: string };
  };
  /** Changes a permission everywhere that it is given. (`PATCH /api/permissions/{id}`) */
  updatePermission: {
    input: { id: string } & { scope: { tenant: "organization" | "accountProject" | "organizationProject"; id: string }; name?: string | undefined; description?: string | null | undefined; action?: string | undefined; resourceId?: string | undefined; condition?: Record<string, unknown> | null | undefined; tagIds?: Array<string> | undefined; primaryTagId?: string | null | undefined };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; description: string | null; isShared: boolean; resourceId: string; action: string; condition: Record<string, unknown> | null; primaryTagId: string | null };
  };
  /** Change a service account of the platform. Other networks end its tokens (`PATCH /api/platform/service-accounts/{id}`) */
  updatePlatformServiceAccount: {
    input: { id: string } & { name?: string | undefined; description?: string | null | undefined; roleIds?: Array<"Provisioner"> | undefined; allowedNetworks?: Array<string> | undefined };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; clientId: string; name: string; description: string | null; roleIds: Array<"Provisioner">; elevated: Array<string>; allowedNetworks: Array<string>; credentials: Array<{ id: string; type: "secret" | "directory" | "jwks" | "trust"; lastFour: string | null; jwks: { keys: Array<Record<string, unknown>> } | null; jwksUri: string | null; issuer: string | null; audience: string | null; claims: Record<string, unknown> | null; createdBy: string; createdAt: string; expiresAt: string | null; lastUsedAt: string | null; lastUsedFrom: string | null }>; createdBy: string; isSuspended: boolean; lastUsedAt: string | null; lastUsedFrom: string | null; lastUsedCredentialId: string | null };
  };
  /** Change a project’s name, description, metadata or tags (`PATCH /api/projects/{id}`) */
  updateProject: {
    input: { id: string } & { scope: { tenant: "account" | "organization"; id: string }; name?: string | undefined; description?: string | null | undefined; metadata?: Record<string, unknown> | undefined; tagIds?: Array<string> | undefined; primaryTagId?: string | null | undefined };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; slug: string; description: string | null; metadata: Record<string, unknown>; primaryTagId: string | null };
  };
  /** Change an app; tokens that had more than its new scopes end (`PATCH /api/project-apps/{id}`) */
  updateProjectApp: {
    input: { id: string } & { scope: { tenant: "accountProject" | "organizationProject"; id: string }; name?: string | undefined; redirectUris?: Array<string> | undefined; scopes?: Array<string> | undefined; enabledProviders?: Array<string> | null | undefined; allowSignUp?: boolean | undefined; signUpRoleId?: string | null | undefined; tagIds?: Array<string> | undefined; primaryTagId?: string | null | undefined; tokenEndpointAuthMethod?: "client_secret_basic" | "client_secret_post" | "private_key_jwt" | "none" | undefined; jwks?: { keys: Array<Record<string, unknown>> } | null | undefined; jwksUri?: string | null | undefined; postLogoutRedirectUris?: Array<string> | undefined; backchannelLogoutUri?: string | null | undefined; grantTypes?: Array<"authorization_code" | "refresh_token" | "client_credentials" | "urn:ietf:params:oauth:grant-type:device_code" | "urn:ietf:params:oauth:grant-type:token-exchange"> | undefined; roleId?: string | null | undefined; isFirstParty?: boolean | undefined; requireSecondFactor?: boolean | undefined; requirePkce?: boolean | undefined; actsInGrants?: boolean | undefined; allowOrganizationSignUp?: boolean | undefined; allowEmailCode?: boolean | undefined; dpopBoundAccessTokens?: boolean | undefined; idTokenSignedResponseAlg?: "RS256" | "ES256" | undefined; mayAct?: Array<string> | undefined; claims?: Array<{ name: string; source: string; in: "idToken" | "userinfo" | "accessToken" }> | undefined };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; projectId: string; clientId: string; documentUrl: string | null; name: string; redirectUris: Array<string>; scopes: Array<string>; enabledProviders: Array<string>; allowSignUp: boolean; signUpRoleId: string | null; type: "web" | "spa" | "native" | "machine" | null; tokenEndpointAuthMethod: "client_secret_basic" | "client_secret_post" | "private_key_jwt" | "none" | null; jwks: { keys: Array<Record<string, unknown>> } | null; jwksUri: string | null; postLogoutRedirectUris: Array<string>; backchannelLogoutUri: string | null; grantTypes: Array<"authorization_code" | "refresh_token" | "client_credentials" | "urn:ietf:params:oauth:grant-type:device_code" | "urn:ietf:params:oauth:grant-type:token-exchange">; roleId: string | null; isFirstParty: boolean; requireSecondFactor: boolean; requirePkce: boolean; actsInGrants: boolean; allowOrganizationSignUp: boolean; allowEmailCode: boolean; dpopBoundAccessTokens: boolean; idTokenSignedResponseAlg: "RS256" | "ES256"; mayAct: Array<string>; claims: Array<{ name: string; source: string; in: "idToken" | "userinfo" | "accessToken" }>; leftOutClaims: { names: Array<string>; at: string } | null };
  };
  /** Change what a customer may give its people; a role that is taken out gives nothing from the next decision on (`PATCH /api/project-grants/{id}`) */
  updateProjectGrant: {
    input: { id: string } & { scope: { tenant: "organizationProject"; id: string }; roleIds?: Array<string> | null | undefined; allowCustomRoles?: boolean | undefined; maxMembers?: number | null | undefined; metadata?: Record<string, unknown> | undefined };
    output: { id: string; projectId: string; organizationId: string | null; ownerOrganizationId: string; status: "offered" | "active" | "suspended" | "declined" | "ended"; roleIds: Array<string> | null; allowCustomRoles: boolean; maxMembers: number | null; metadata: Record<string, unknown>; reason: string | null; email: string | null; expiresAt: string | null; isMailed: boolean; createdAt: string; updatedAt: string; acceptedAt: string | null; endedAt: string | null; organization: { id: string; name: string; slug: string } | null; project: { id: string; name: string; slug: string }; ownerOrganization: { id: string; name: string; slug: string }; memberCount: number; roles: Array<{ id: string; name: string }> };
  };
  /** Changes a resource. Permissions for an action that it loses, or for an inactive resource, grant nothing. (`PATCH /api/resources/{id}`) */
  updateResource: {
    input: { id: string } & { scope: { tenant: "account" | "organization" | "accountProject" | "organizationProject"; id: string }; name?: string | undefined; slug?: string | undefined; description?: string | null | undefined; actions?: Array<string> | undefined; isActive?: boolean | undefined; identifier?: string | null | undefined; tagIds?: Array<string> | undefined; primaryTagId?: string | null | undefined };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; description: string | null; isShared: boolean; slug: string; actions: Array<string>; isActive: boolean; isBuiltIn: boolean; identifier: string | null; primaryTagId: string | null };
  };
  /** Changes a role; groupIds replaces all its groups, permissions the actions of its own group. (`PATCH /api/roles/{id}`) */
  updateRole: {
    input: { id: string } & { scope: { tenant: "account" | "organization" | "accountProject" | "organizationProject"; id: string }; name?: string | undefined; description?: string | null | undefined; metadata?: Record<string, unknown> | undefined; isGrantable?: boolean | undefined; groupIds?: Array<string> | undefined; permissions?: Array<{ resourceId: string; actions: Array<string> }> | undefined; tagIds?: Array<string> | undefined; primaryTagId?: string | null | undefined };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; description: string | null; isShared: boolean; metadata: Record<string, unknown>; isBuiltIn: boolean; rank: number | null; isGrantable: boolean; primaryTagId: string | null };
  };
  /** Give a factor another name (`PATCH /api/me/second-factors/{id}`) */
  updateSecondFactor: {
    input: { id: string } & { name: string };
    output: { factor: { id: string; kind: "totp" | "passkey" | "recoveryCodes"; name: string; isConfirmed: boolean; createdAt: string; updatedAt: string; lastUsedAt: string | null; remaining?: number | null } };
  };
  /** Change a service account; only who may give the roles that it has and gets. Other networks and elevated operations end its tokens (`PATCH /api/service-accounts/{id}`) */
  updateServiceAccount: {
    input: { id: string } & { scope: { tenant: "organization" | "account"; id: string }; name?: string | undefined; description?: string | null | undefined; roleIds?: Array<string> | undefined; elevated?: Array<"ApiKey:Create" | "Connection:Create" | "Connection:Update" | "ProjectGrant:Delete" | "ProjectGrant:Update" | "ServiceAccount:Create" | "ServiceAccount:Update"> | undefined; allowedNetworks?: Array<string> | undefined };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; clientId: string; name: string; description: string | null; roleIds: Array<string>; elevated: Array<string>; allowedNetworks: Array<string>; credentials: Array<{ id: string; type: "secret" | "directory" | "jwks" | "trust"; lastFour: string | null; jwks: { keys: Array<Record<string, unknown>> } | null; jwksUri: string | null; issuer: string | null; audience: string | null; claims: Record<string, unknown> | null; createdBy: string; createdAt: string; expiresAt: string | null; lastUsedAt: string | null; lastUsedFrom: string | null }>; createdBy: string; isSuspended: boolean; lastUsedAt: string | null; lastUsedFrom: string | null; lastUsedCredentialId: string | null };
  };
  /** Changes a tag wherever it is carried. (`PATCH /api/tags/{id}`) */
  updateTag: {
    input: { id: string } & { scope: { tenant: "account" | "organization" | "accountProject" | "organizationProject"; id: string }; name?: string | undefined; color?: "purple" | "indigo" | "blue" | "cyan" | "teal" | "emerald" | "sky" | "violet" | "rose" | "pink" | "fuchsia" | "gray" | "red" | "orange" | "amber" | "yellow" | "lime" | "green" | undefined };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; color: string };
  };
  /** Limit the members, projects, API keys and requests per minute of an account or organization; what exists stays. Or let the service accounts of an organization make organizations (`PATCH /api/platform/tenants/{id}`) */
  updateTenantQuotas: {
    input: { id: string } & { quotas?: { members?: number | null | undefined; projects?: number | null | undefined; apiKeys?: number | null | undefined; requestsPerMinute?: number | null | undefined } | undefined; canProvision?: boolean | undefined };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; tenant: "account" | "organization"; name: string; slug: string | null; email: string | null; ownerId: string | null; memberCount: number; openInvitationCount: number; projectCount: number; suspendedAt: string | null; suspensionReason: string | null; quotas: { members: number | null; projects: number | null; apiKeys: number | null; requestsPerMinute: number | null }; canProvision: boolean };
  };
  /** Change roles, tags and member metadata of a person of a scope, or the profile of one who was made there and can not sign in (`PATCH /api/users/{id}`) */
  updateUser: {
    input: { id: string } & { scope: { tenant: "organization" | "accountProject" | "organizationProject"; id: string }; name?: string | undefined; metadata?: Record<string, unknown> | undefined; roleIds?: Array<string> | undefined; tagIds?: Array<string> | undefined; primaryTagId?: string | null | undefined; memberMetadata?: Record<string, unknown> | undefined };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; name: string; pictureUrl: string | null; metadata: Record<string, unknown>; primaryTagId: string | null; memberMetadata?: Record<string, unknown> };
  };
  /** Change a webhook, or switch it off or on; what waits is sent when it is switched on again (`PATCH /api/webhooks/{id}`) */
  updateWebhook: {
    input: { id: string } & { scope: { tenant: "organization" | "accountProject" | "organizationProject"; id: string }; url?: string | undefined; eventTypes?: Array<string> | undefined; outcomes?: Array<"ok" | "refused" | "failed"> | undefined; description?: string | undefined; isActive?: boolean | undefined };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; url: string; eventTypes: Array<string>; outcomes: Array<"ok" | "refused" | "failed">; description: string; isActive: boolean; disabledAt: string | null; failingSince: string | null; createdBy: string; voucher: { type: "session" | "apiKey" | "app" | "serviceAccount"; userId: string | null; apiKeyId: string | null; appId: string | null; at: string; endedAt: string | null; until: string | null } | null };
  };
  /** Set one’s picture; it is decoded and written anew, without metadata (`POST /api/me/picture`) */
  uploadMyPicture: {
    input: { file: string; filename: string; contentType: "image/png" | "image/jpeg" | "image/webp" | "image/gif" };
    output: { url: string; path: string };
  };
  /** Set the picture of a person who was made in a scope and can not sign in, or one’s own (`POST /api/users/{id}/picture`) */
  uploadUserPicture: {
    input: { id: string } & { scope: { tenant: "organization" | "accountProject" | "organizationProject"; id: string }; file: string; filename: string; contentType: "image/png" | "image/jpeg" | "image/webp" | "image/gif" };
    output: { url: string; path: string };
  };
  /** Look for the TXT record of a domain now; `problem` says why it does not prove the domain. A verified domain is checked again (`POST /api/domains/{id}/verify`) */
  verifyDomain: {
    input: { id: string } & { scope: { tenant: "organization"; id: string } };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; domain: string; status: "pending" | "verified" | "failing" | "lost"; challenge: { name: string; value: string }; verifiedAt: string | null; checkedAt: string | null; failingSince: string | null; lostAt: string | null; problem: "record_missing" | "record_differs" | "dns_failed" | "claimed_elsewhere" | null };
  };
  /** Confirm an email address with the token from the mail; in the account’s session, or with its password, the account holds it (`POST /api/auth/verify-email`) */
  verifyEmail: {
    input: { token: string; password?: string | undefined };
    output: { success: boolean; isHeld: boolean };
  };
  /** Sign in with the code from the mail; in an account that does not hold its address, all that was made before ends first (`POST /api/auth/email-code/verify`) */
  verifyEmailCode: {
    input: { email: string; code: string };
    output: { accessToken?: string; refreshToken?: string; accounts?: Array<{ id: string; createdAt: string; updatedAt: string; deletedAt: string | null; type: "personal" | "organization"; ownerId: string }>; requiresEmailVerification?: boolean; secondFactor?: { token: string; methods: Array<"totp" | "passkey" | "recoveryCode"> } };
  };
  /** Look for the TXT record of a domain of a set-up link now (`POST /api/set-up/{id}/domains/{domainId}/verify`) */
  verifySetUpDomain: {
    input: { id: string; domainId: string };
    output: { id: string; domain: string; status: string; challenge: { name: string; value: string }; problem: string | null };
  };
  /** Vouch for a webhook (AuditEvent:Query is needed too): it depends on the caller’s rights from now on, and goes on if it had stopped (`POST /api/webhooks/{id}/vouch`) */
  vouchForWebhook: {
    input: { id: string } & { scope: { tenant: "organization" | "accountProject" | "organizationProject"; id: string } };
    output: { id: string; createdAt: string; updatedAt: string; deletedAt: string | null; url: string; eventTypes: Array<string>; outcomes: Array<"ok" | "refused" | "failed">; description: string; isActive: boolean; disabledAt: string | null; failingSince: string | null; createdBy: string; voucher: { type: "session" | "apiKey" | "app" | "serviceAccount"; userId: string | null; apiKeyId: string | null; appId: string | null; at: string; endedAt: string | null; until: string | null } | null };
  };
}
