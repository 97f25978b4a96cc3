export { type Authorizer, type AuthorizerOptions, createAuthorizer } from './authorizer.ts';
export { natsChanges, type TenantChanges } from './changes.ts';
export { type ApiKey, apiKey, type Credential, type ServiceCredential, service, type TokenCredential, token } from './credentials.ts';
export { AuthorizerError, type AuthorizerErrorCode } from './errors.ts';
export type { Decision, PermissionGrant, Question, Scope, Subject, Transport, Whose } from './question.ts';
