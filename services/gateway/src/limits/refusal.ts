import { failures, type Language, renderError, renderGraphqlError } from '@tessera/kernel/errors';

/** The body of a 429. A GraphQL client finds the same in `errors`. */
export function limitBody(resetSeconds: number, language: Language, isGraphql: boolean): object {
  const failure = failures.rateLimited(resetSeconds);
  const { body } = renderError(failure, language);
  return {
    success: false,
    error: { code: 'rate_limit_exceeded', message: body.error },
    code: body.code,
    translationKey: body.translationKey,
    translationParams: body.translationParams,
    ...(isGraphql ? { errors: [renderGraphqlError(failure, language)] } : {}),
  };
}
