/** Requests that carry a secret of a program. */
import { TesseraError } from '@tessera/client';

const patienceMs = 20_000;
const mostCharacters = 65_536;

type Answered = { readonly status: number; readonly body: Readonly<Record<string, unknown>> };

/**
 * Follows no redirect: what is sent is for this address. What may pass by itself is a TesseraError,
 * for those who try again.
 */
export async function ask(address: string | URL, init: RequestInit, name: string): Promise<Answered> {
  let answer: Response;
  let text = '';
  try {
    answer = await fetch(address, { ...init, redirect: 'manual', signal: AbortSignal.timeout(patienceMs) });
    const decoder = new TextDecoder();
    for await (const chunk of answer.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > mostCharacters) break;
    }
  } catch (cause) {
    const isLate = (cause as Error).name === 'TimeoutError';
    const message = isLate ? `${name} took too long.` : `${name} can not be reached.`;
    throw new TesseraError(message, { status: 0, code: isLate ? 'TIMEOUT' : 'NETWORK_ERROR' }, cause);
  }
  const { status, headers } = answer;
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN);
  if (status === 429 || status >= 500)
    throw new TesseraError(`${name} answered ${status}.`, {
      status,
      code: status === 429 ? 'RATE_LIMIT_EXCEEDED' : 'INTERNAL_ERROR',
      retryAfterSeconds: Number.isNaN(retryAfter) ? undefined : retryAfter,
      requestId: headers.get('x-request-id') ?? undefined,
    });
  return { status, body: parsed(text) };
}

function parsed(text: string): Answered['body'] {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Answered['body']) : {};
  } catch {
    return {};
  }
}
