/** Hands a provider, which is an application of koa, a request that was read already. */
import { type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type Provider from 'oidc-provider';
import type { OpenidMessage } from './request.ts';

export type Answer = {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: string | Buffer | undefined;
};

/** Koa writes into it; it has no connection. */
class KeptResponse extends ServerResponse<OpenidMessage> {
  answer: Answer | undefined;
  /** Koa calls it once, with the whole body. The providers stream nothing. */
  override end(...[body]: readonly unknown[]): this {
    this.answer ??= {
      status: this.statusCode,
      headers: this.getHeaders(),
      body: typeof body === 'string' || Buffer.isBuffer(body) ? body : undefined,
    };
    return this;
  }
}

export async function callProvider(provider: Provider, message: OpenidMessage): Promise<Answer> {
  const response = new KeptResponse(message);
  await provider.callback()(message, response);
  if (response.answer === undefined) throw new Error(`the provider has not answered ${message.method} ${message.url?.split('?')[0]}`);
  return response.answer;
}
