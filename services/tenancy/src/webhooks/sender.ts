/** One POST to a webhook's address. Only the status of the answer counts. */
import { Resolver } from 'node:dns';
import { assertReachable, createGuardedAgent, type Lookup, PrivateAddress } from '@tessera/kernel/guard';
import { request } from 'undici';
import type { Attempt, AttemptError } from '../domain/webhook.ts';

type Post = { readonly url: string; readonly headers: Record<string, string>; readonly body: string };
export type Answer = Pick<Attempt, 'status' | 'error'>;
export type Sender = {
  /** Never rejects for a target that fails. */
  send(post: Post, signal: AbortSignal): Promise<Answer>;
  close(): Promise<void>;
};
type Options = { readonly allowPrivate: boolean; readonly timeoutMs?: number; readonly lookup?: Lookup };

const mostBytesRead = 16 * 1_024;
const longestReadMs = 1_000;

/**
 * Asks name servers itself. The system's look-up has four threads for the whole process: names
 * whose servers do not answer would keep everything else waiting.
 */
export function lookupByResolver(resolver: Pick<Resolver, 'resolve4' | 'resolve6'>): Lookup {
  return (hostname, _options, callback) => {
    const found: { address: string; family: number }[] = [];
    const failures: NodeJS.ErrnoException[] = [];
    let left = 2;
    const take = (family: number) => (error: NodeJS.ErrnoException | null, addresses: string[]) => {
      if (error === null) found.push(...addresses.map((address) => ({ address, family })));
      else failures.push(error);
      left -= 1;
      if (left > 0) return;
      const [failure = null] = failures;
      callback(
        found.length === 0 ? failure : null,
        found.toSorted((one, other) => one.family - other.family),
      );
    };
    resolver.resolve4(hostname, take(4));
    resolver.resolve6(hostname, take(6));
  };
}

export function createSender({ allowPrivate, timeoutMs = 10_000, lookup }: Options): Sender {
  const resolve = lookup ?? (allowPrivate ? undefined : lookupByResolver(new Resolver({ timeout: 2_000, tries: 2 })));
  // Many webhooks may share one origin: how many run at once is bounded by the deliverer.
  const dispatcher = createGuardedAgent({ allowPrivate, timeoutMs, connections: 256, ...(resolve && { lookup: resolve }) });
  return {
    async send({ url, headers, body }, signal) {
      try {
        assertReachable(url, allowPrivate);
        const bounded = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
        const { statusCode: status, body: answer } = await request(url, { method: 'POST', headers, body, dispatcher, signal: bounded });
        // Not awaited: an answer that never ends would hold its place among the others.
        void answer.dump({ limit: mostBytesRead, signal: AbortSignal.timeout(longestReadMs) }).catch(() => undefined);
        return { status, error: status >= 200 && status < 300 ? null : 'status' };
      } catch (error) {
        return { status: null, error: errorOf(error) };
      }
    },
    close: () => dispatcher.destroy(),
  };
}

const unresolved = ['ENOTFOUND', 'ENODATA', 'EAI_AGAIN', 'EAI_NODATA', 'ESERVFAIL', 'EREFUSED', 'EBADNAME', 'EBADRESP', 'EFORMERR'];

/** What undici puts around an error is looked through, and so are attempts at several addresses. */
function errorOf(error: unknown): AttemptError {
  if (error instanceof PrivateAddress) return 'no_public_address';
  const { name = '', code = '', cause, errors } = Object(error);
  if (unresolved.includes(code) || (code === 'ETIMEOUT' && Object(error).syscall?.startsWith('query'))) return 'no_public_address';
  if (/Timeout|Abort/.test(name) || /TIMEOUT|ETIMEDOUT/.test(code)) return 'timeout';
  if (/^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|EPROTO)/.test(code)) return 'tls';
  const inner: unknown = cause ?? (Array.isArray(errors) ? errors[0] : undefined);
  return inner === undefined ? 'connection' : errorOf(inner);
}
