import type { Claims } from './claims.ts';
import { IntrospectionUnavailable } from './errors.ts';

export type IntrospectionOptions = {
  /** The app whose tokens are asked about, or a machine app of its project. */
  readonly clientId: string;
  readonly clientSecret: string;
  /** How long an answer is used again: 1,000 ms by default. */
  readonly maxAgeMs?: number;
  readonly timeoutMs?: number;
  readonly fetch?: typeof fetch;
  readonly nowMs?: () => number;
};

const mostAnswers = 10_000;

/**
 * Asks the token's issuer whether the token still counts (RFC 7662). The issuer is one of the
 * configured ones, because the verifier has checked it. Throws IntrospectionUnavailable without an
 * answer.
 */
export function createIntrospection(options: IntrospectionOptions): (token: string, claims: Claims) => Promise<boolean> {
  const { clientId, clientSecret, maxAgeMs = 1_000, timeoutMs = 5_000, nowMs = Date.now } = options;
  const send = options.fetch ?? fetch;
  const answers = new Map<string, { readonly answer: Promise<boolean>; readonly until: number }>();
  const form = (value: string) => encodeURIComponent(value).replaceAll('%20', '+');
  const authorization = `Basic ${Buffer.from(`${form(clientId)}:${form(clientSecret)}`).toString('base64')}`;

  const ask = async (token: string, issuer: string): Promise<boolean> => {
    try {
      const response = await send(`${issuer}/oauth/introspect`, {
        method: 'POST',
        headers: { authorization, accept: 'application/json' },
        body: new URLSearchParams({ token, token_type_hint: 'access_token' }),
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      });
      if (response.status !== 200) throw new Error(`${issuer} answered ${response.status}`);
      const { active } = (await response.json()) as { readonly active?: unknown };
      return active === true;
    } catch (cause) {
      throw new IntrospectionUnavailable(issuer, { cause });
    }
  };

  return (token, { iss }) => {
    const known = answers.get(token);
    if (known !== undefined && nowMs() < known.until) return known.answer;
    const answer = ask(token, iss);
    answers.delete(token);
    answers.set(token, { answer, until: nowMs() + maxAgeMs });
    answer.catch(() => answers.delete(token));
    const [oldest] = answers.keys();
    if (answers.size > mostAnswers && oldest !== undefined) answers.delete(oldest);
    return answer;
  };
}
