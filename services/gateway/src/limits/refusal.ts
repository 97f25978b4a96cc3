import { failures, type Language, renderError, renderGraphqlError } from '@tessera/kernel/errors';
import type { Refusal } from './limits.ts';

/** For the developer of an agent, or of an application whose people all come from one address. */
const hints: Readonly<Partial<Record<Refusal['layer'], string>>> = {
  global:
    'Requests are counted by address. The operator exempts the address of a server-side application by SECURITY_RATE_LIMIT_TRUSTED, or counts each key and app by itself by SECURITY_RATE_LIMIT_CREDENTIAL_MAX.',
  agent: 'Requests of an app that acts for people are counted for all of them together. The operator raises SECURITY_RATE_LIMIT_AGENT_MAX.',
  'agent-person':
    'Requests of an app that acts for a person are counted for each person. The operator raises SECURITY_RATE_LIMIT_AGENT_PERSON_MAX.',
  auth: 'Sign-ins are counted by address. The operator exempts the address of a server-side application by SECURITY_RATE_LIMIT_TRUSTED.',
};

/** The body of a 429. A GraphQL client finds the same in `errors`. */
export function limitBody({ resetSeconds, layer }: Refusal, language: Language, isGraphql: boolean): object {
  const hint = hints[layer];
  const extensions = { limit: layer, ...(hint === undefined ? {} : { hint }) };
  const failure = failures.rateLimited(resetSeconds);
  const { body } = renderError(failure, language);
  return {
    success: false,
    error: { code: 'rate_limit_exceeded', message: body.error },
    code: body.code,
    extensions,
    translationKey: body.translationKey,
    translationParams: body.translationParams,
    ...(isGraphql ? { errors: [renderGraphqlError(failure, language)] } : {}),
  };
}
