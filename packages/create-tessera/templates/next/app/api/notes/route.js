import { claimsOf, withToken } from '@tessera/verifier/web';
import { verifier } from '../../../lib/tessera.js';

/** Without a token 401, without the scope 403. */
const allowed = (scope, handler) =>
  withToken(verifier, (request) =>
    claimsOf(request).scopes.includes(scope) ? handler(request) : Response.json({ error: 'Forbidden' }, { status: 403 }),
  );

export const GET = allowed('note:read', (request) => Response.json({ notes: ['Buy milk'], of: claimsOf(request).org_id ?? null }));
export const POST = allowed('note:write', () => Response.json({ written: true }, { status: 201 }));
