/**
 * What the server can do (RFC 7644, section 4): the same for every organization, also one that does
 * not exist, and readable without a token.
 */

import { defaultPerPage, mostPerPage } from '../../directory/list.ts';
import { mostBulkOperations } from '../../domain/scim/bulk.ts';
import type { Json } from '../../domain/scim/resource.ts';
import { describeAttribute, type ResourceType, resourceTypes, type Schema } from '../../domain/scim/schema.ts';

const core = 'urn:ietf:params:scim:schemas:core:2.0:';

export const mostPayloadBytes = 1_048_576;

export function serviceProviderConfig(base: string): Json {
  return {
    schemas: [`${core}ServiceProviderConfig`],
    documentationUri: 'https://www.rfc-editor.org/info/rfc7644',
    patch: { supported: true },
    bulk: { supported: true, maxOperations: mostBulkOperations, maxPayloadSize: mostPayloadBytes },
    filter: { supported: true, maxResults: mostPerPage },
    changePassword: { supported: false },
    sort: { supported: true },
    etag: { supported: true },
    // RFC 9865, section 3.
    pagination: {
      cursor: true,
      index: true,
      defaultPaginationMethod: 'index',
      defaultPageSize: defaultPerPage,
      maxPageSize: mostPerPage,
    },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'OAuth Bearer Token',
        description: 'An access token of a service account with the role Provisioning, by client_credentials',
        specUri: 'https://www.rfc-editor.org/info/rfc6750',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
  };
}

function showType({ name, endpoint, description, schema, extensions }: ResourceType, base: string): Json {
  return {
    schemas: [`${core}ResourceType`],
    id: name,
    name,
    endpoint,
    description,
    schema: schema.id,
    schemaExtensions: extensions.map(({ id }) => ({ schema: id, required: false })),
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${name}` },
  };
}

function showSchema({ id, name, description, attributes }: Schema, base: string): Json {
  return {
    schemas: [`${core}Schema`],
    id,
    name,
    description,
    attributes: attributes.map(describeAttribute),
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${id}` },
  };
}

export function allTypes(base: string): readonly Json[] {
  return resourceTypes.map((type) => showType(type, base));
}

export function allSchemas(base: string): readonly Json[] {
  return resourceTypes.flatMap(({ schema, extensions }) => [schema, ...extensions]).map((schema) => showSchema(schema, base));
}
