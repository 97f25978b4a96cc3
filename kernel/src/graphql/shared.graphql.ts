/** Definitions that all subgraphs share; the composed graph contains each once. */
export const sharedSdl = /* GraphQL */ `
  extend schema
    @link(url: "https://specs.apollo.dev/federation/v2.7", import: ["@key", "@shareable", "@external", "@requires", "@provides", "@inaccessible", "@override"])

  "ISO 8601, UTC, milliseconds."
  scalar Date
  "A free-form object."
  scalar JSON

  "The level of the hierarchy that a scope names. The two last ones, one user in a project, are for API keys only."
  enum Tenant {
    account
    organization
    accountProject
    organizationProject
    accountProjectUser
    organizationProjectUser
  }

  "account: <accountId>; organization: <orgId>; projects: <accountId|orgId>:<projectId>; users in projects: <accountId|orgId>:<projectId>:<userId>."
  input ScopeInput {
    tenant: Tenant!
    id: String!
  }

  enum SortOrder {
    asc
    desc
  }

  "The scope in which an entity was read."
  type EntityScope @shareable {
    tenant: String!
    id: String!
  }
`;
