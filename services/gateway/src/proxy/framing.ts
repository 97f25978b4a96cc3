import type { IncomingHttpHeaders } from 'node:http';
import { errors } from 'undici';

/**
 * The error of a response whose end only the end of its connection would tell: it may have been cut
 * off there, over TLS too, because Node does not report how a TLS connection was closed.
 * Content-Length on a 204 would make a proxy in front of us wait for a body and take it from the
 * next response.
 */
export function framingError(method: string, status: number, headers: IncomingHttpHeaders): Error | undefined {
  const length = headers['content-length'];
  const isFramed =
    status === 204
      ? length === undefined || length === '0'
      : method === 'HEAD' || status === 304 || length !== undefined || headers['transfer-encoding'] !== undefined;
  return isFramed ? undefined : new errors.HTTPParserError('the response does not say where it ends');
}
