/**
 * Who authenticates as a client at the token, introspection and revocation endpoints (RFC 6749
 * section 2.3).
 */
const longestId = 100;

export type ClientRequest = { readonly authorization: string | undefined; readonly body: Buffer | null };

/** Of client_secret_basic. What it claims is proven only by the answer. */
export function clientOfHeader(authorization: string | undefined): string | undefined {
  const encoded = /^basic +([\w+/=-]+)$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const [id = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  return known(unescaped(id));
}

/** As the services read it (RFC 6749 section 2.3.1): a client has one name, however written. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return '';
  }
}

/** Of client_secret_post, private_key_jwt and jwt-bearer. A public client proves nothing. */
export function clientOfBody(body: Buffer | null): string | undefined {
  if (body === null) return undefined;
  const form = new URLSearchParams(body.toString('utf8'));
  const [secret, assertion] = [form.get('client_secret'), form.get('client_assertion')];
  if (secret === null && assertion === null && !form.has('assertion')) return undefined;
  return known(form.get('client_id') ?? issuerOf(assertion ?? ''));
}

function issuerOf(assertion: string): string {
  try {
    const claims: unknown = JSON.parse(Buffer.from(assertion.split('.')[1] ?? '', 'base64url').toString('utf8'));
    return typeof claims === 'object' && claims !== null && 'iss' in claims ? String(claims.iss) : '';
  } catch {
    return '';
  }
}

function known(id: string): string | undefined {
  return id === '' || id.length > longestId ? undefined : id;
}
