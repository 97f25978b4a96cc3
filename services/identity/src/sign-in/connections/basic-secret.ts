/**
 * HTTP Basic with a client's secret (RFC 6749 section 2.3.1). Not oauth4webapi's: it encodes also
 * `-`, `_`, `.` and `~`, which needs no encoding, and which providers that do not decode (Glewlwyd
 * is one) then take for a wrong secret.
 */
import type { ClientAuth } from 'oauth4webapi';

function encode(value: string): string {
  return encodeURIComponent(value).replaceAll('%20', '+');
}

export function basicSecret(secret: string): ClientAuth {
  return (_server, { client_id: clientId }, _body, headers) => {
    headers.set('authorization', `Basic ${Buffer.from(`${encode(clientId)}:${encode(secret)}`).toString('base64')}`);
  };
}
