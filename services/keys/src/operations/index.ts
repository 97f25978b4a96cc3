// Written by `npm run generate`: every file of an operations/ folder that declares an operation.
import { createApiKey } from './api-keys/create-api-key.ts';
import { deleteApiKey } from './api-keys/delete-api-key.ts';
import { exchangeApiKey } from './api-keys/exchange-api-key.ts';
import { getApiKeyUse } from './api-keys/get-api-key-use.ts';
import { listApiKeys } from './api-keys/list-api-keys.ts';
import { revokeApiKey } from './api-keys/revoke-api-key.ts';
import { listSigningKeys } from './signing-keys/list-signing-keys.ts';
import { rotateSigningKey } from './signing-keys/rotate-signing-key.ts';

/** Everything that keys does for clients. */
export const operations = [
  createApiKey,
  deleteApiKey,
  exchangeApiKey,
  getApiKeyUse,
  listApiKeys,
  revokeApiKey,
  listSigningKeys,
  rotateSigningKey,
];
