/** Why a provider's answer could not be believed, for the administrator of a connection. */
import * as oauth from 'oauth4webapi';
import type { Cause, FailureCause } from '../../ground/domain/connection-test.ts';

const longest = 300;

/** Of an error of oauth4webapi, or of a request that failed. */
export function causeOf(error: unknown): Cause {
  const said = error instanceof oauth.AuthorizationResponseError || error instanceof oauth.ResponseBodyError ? error : undefined;
  return {
    kind: kindOf(error),
    reason: Error.isError(error) ? shown(error.message) : 'unknown',
    upstreamError: said === undefined ? null : shown(said.error),
    upstreamDescription: said?.error_description === undefined ? null : shown(said.error_description),
  };
}

/** Of a refusal in words, by what they say. */
export function causeInWords(reason: string, kind = byWords(reason)): Cause {
  return { kind, reason: shown(reason), upstreamError: null, upstreamDescription: null };
}

function kindOf(error: unknown): FailureCause {
  if (error instanceof oauth.AuthorizationResponseError) return 'upstream-error';
  if (error instanceof oauth.WWWAuthenticateChallengeError) return error.status === 401 ? 'client-refused' : 'answer';
  if (error instanceof oauth.ResponseBodyError)
    return ['invalid_client', 'unauthorized_client'].includes(error.error) ? 'client-refused' : 'upstream-error';
  if (error instanceof oauth.UnsupportedOperationError) return 'signature';
  if (!(error instanceof oauth.OperationProcessingError)) return 'unreachable';
  if (error.code === oauth.JWT_TIMESTAMP_CHECK) return 'clock';
  if (error.code === oauth.KEY_SELECTION || /signature|"alg"/.test(error.message)) return 'signature';
  if (error.code === oauth.JWT_CLAIM_COMPARISON || error.code === oauth.JSON_ATTRIBUTE_COMPARISON || error.code === oauth.INVALID_RESPONSE)
    return /aud|azp/.test(error.message) ? 'audience' : /iss/.test(error.message) ? 'issuer' : 'request';
  return 'answer';
}

function byWords(reason: string): FailureCause {
  if (/the provider answered/.test(reason)) return 'upstream-error';
  if (/signature|signed|canonicalization|digest|transforms/.test(reason)) return 'signature';
  if (/audience/i.test(reason)) return 'audience';
  if (/too old|not yet valid|time in UTC|has ended/.test(reason)) return 'clock';
  if (/^Issuer/.test(reason)) return 'issuer';
  return /request/.test(reason) ? 'request' : 'answer';
}

/** One line of printable characters; what looks like a token goes. */
export function shown(text: string): string {
  return text
    .replace(/[\p{C}\s]+/gu, ' ')
    .replace(/\bey[\w-]{6,}\.[\w-]{6,}(\.[\w-]*)*/g, '…')
    .slice(0, longest);
}
