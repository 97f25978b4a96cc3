import { createApiKey } from './api-keys/create-api-key.ts';
import { deleteApiKey } from './api-keys/delete-api-key.ts';
import { exchangeApiKey } from './api-keys/exchange-api-key.ts';
import { listApiKeys } from './api-keys/list-api-keys.ts';
import { revokeApiKey } from './api-keys/revoke-api-key.ts';
import { listSigningKeys } from './signing-keys/list-signing-keys.ts';
import { rotateSigningKey } from './signing-keys/rotate-signing-key.ts';

/** All operations of keys. The three JWKS documents are protocol routes. */
export const operations = [
  createApiKey,
  listApiKeys,
  revokeApiKey,
  deleteApiKey,
  exchangeApiKey,
  listSigningKeys,
  rotateSigningKey,
] as const;
