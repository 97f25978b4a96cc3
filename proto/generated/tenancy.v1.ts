// Generated from tenancy/v1/service.proto by `npm run generate`. Do not edit.

export type Empty = Record<never, never>;

export type Scope = {
  tenant: string;
  id: string;
};

export type Account = {
  id: string;
  type: string;
  ownerId: string;
  createdAt: string;
  updatedAt: string;
};

export type ListAccountsRequest = {
  userIds: readonly string[];
};

export type ListAccountsResponse = {
  accounts: readonly Account[];
};

export type CreateAccountRequest = {
  userId: string;
  type: string;
};

export type CloseAccountsRequest = {
  userId: string;
  hard: boolean;
};

export type ListMembershipsRequest = {
  userId: string;
};

export type OrganizationMembership = {
  organizationId: string;
  name: string;
  slug: string;
  joinedAt: string;
};

export type ProjectMembership = {
  scope: Scope;
  name: string;
  joinedAt: string;
};

export type ListMembershipsResponse = {
  organizations: readonly OrganizationMembership[];
  projects: readonly ProjectMembership[];
};

export type ListPeopleRequest = {
  scope: Scope;
  page: number;
  limit: number;
  search: string;
  /** name | email | createdAt | updatedAt */
  sortField: string;
  sortOrder: string;
  /** only these, when not empty */
  ids: readonly string[];
  /** true: `ids` applies even when empty */
  filterIds: boolean;
};

export type ListPeopleResponse = {
  userIds: readonly string[];
  totalCount: number;
};

export type FilterPeopleRequest = {
  scope: Scope;
  userIds: readonly string[];
};

export type FilterPeopleResponse = {
  userIds: readonly string[];
};

export type GetScopesRequest = {
  scopes: readonly Scope[];
};

export type GetScopesResponse = {
  /** in the order asked */
  exists: readonly boolean[];
};

export type RemovePersonRequest = {
  scope: Scope;
  userId: string;
  hard: boolean;
};

export type TenancyMethods = {
  /** of many users at once */
  listAccounts: { request: ListAccountsRequest; response: ListAccountsResponse };
  /** the missing type; conflict when it exists */
  createAccount: { request: CreateAccountRequest; response: Account };
  /** conflict for the last Owner of an organization with others; emits accounts.closed */
  closeAccounts: { request: CloseAccountsRequest; response: Empty };
  listMemberships: { request: ListMembershipsRequest; response: ListMembershipsResponse };
  /** People (users) of a scope: search over name and email, sorted, paged; the ids in order. */
  listPeople: { request: ListPeopleRequest; response: ListPeopleResponse };
  /** which of these belong to the scope */
  filterPeople: { request: FilterPeopleRequest; response: FilterPeopleResponse };
  /** which exist and are not deleted */
  getScopes: { request: GetScopesRequest; response: GetScopesResponse };
  /** DELETE /api/users/{id} in a project scope */
  removePerson: { request: RemovePersonRequest; response: Empty };
};
