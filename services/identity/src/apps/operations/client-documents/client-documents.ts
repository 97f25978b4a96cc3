/** Which clients that are known by a document a project lets in, in the API. */
import { Nullable, type OperationContext } from '@tessera/kernel/operation';
import Type, { type Static } from 'typebox';
import type { AppsDeps } from '../../deps.ts';
import { isDomain } from '../../domain/client-document.ts';
import { errors } from '../../errors.ts';
import type { ClientDocumentRules } from '../../storage/client-documents.ts';

type Context = OperationContext<AppsDeps>;

export const ClientDocuments = Type.Object({
  allowClientMetadataDocuments: Type.Boolean(),
  clientDomains: Type.Array(Type.String()),
  clientScopes: Type.Array(Type.String()),
  updatedAt: Nullable(Type.String({ description: 'Null when nothing is set: then `null` is the version' })),
});

const Action = Type.String({ minLength: 3, maxLength: 200, pattern: '^[^:\\s]+:[^:\\s]+$', description: "'resource:action'" });

export const rulesFields = {
  allowClientMetadataDocuments: Type.Boolean({ examples: [false] }),
  clientDomains: Type.Array(Type.String({ minLength: 1, maxLength: 253 }), {
    maxItems: 50,
    uniqueItems: true,
    examples: [['mcp.example.com']],
    description: 'Exact hosts at which such documents may lie; an empty list lets nobody in',
  }),
  clientScopes: Type.Array(Action, {
    maxItems: 100,
    uniqueItems: true,
    examples: [[]],
    description: 'At most these, of what the person may do; none of them is built in',
  }),
};

export function toClientDocuments(rules: ClientDocumentRules | undefined): Static<typeof ClientDocuments> {
  const { isAllowed = false, domains = [], scopes = [], updatedAt = null } = rules ?? {};
  return {
    allowClientMetadataDocuments: isAllowed,
    clientDomains: [...domains],
    clientScopes: [...scopes],
    updatedAt,
  };
}

export function assertDomains(domains: readonly string[], { deps }: Context): void {
  const wrong = domains.findIndex((domain) => !isDomain(domain, deps.settings.allowPrivateAddresses));
  if (wrong !== -1) throw errors.clientDomain({ extensions: { field: `clientDomains.${wrong}` } });
}

/** `Resource:Action`, as the built-in ones are written. */
const builtIn = /^[A-Z][A-Za-z]*:[A-Z]/;

export function assertNotBuiltIn(scopes: readonly string[]): void {
  const wrong = scopes.findIndex((scope) => builtIn.test(scope));
  if (wrong !== -1) throw errors.clientScope({ extensions: { field: `clientScopes.${wrong}` } });
}
