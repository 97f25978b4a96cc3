const mostBytes = 512 * 1024;

type Request = {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string | URLSearchParams | ArrayBuffer | Uint8Array | ReadableStream | null | undefined;
  readonly signal?: AbortSignal;
};

/**
 * fetch, whose answers have an end: a provider must not be able to fill our memory. Redirects are
 * not followed, whatever is asked: they would carry the token away.
 */
export async function boundedFetch(url: string, { body, ...request }: Request): Promise<Response> {
  const response = await fetch(url, {
    ...request,
    redirect: 'manual',
    ...(body === undefined ? {} : { body: body as NonNullable<RequestInit['body']> }),
  });
  return readBounded(response);
}

/** The answer with its body in memory, unless it is too large. */
export async function readBounded(
  response: Pick<Response, 'body' | 'status'> & { readonly headers: NonNullable<ConstructorParameters<typeof Headers>[0]> },
): Promise<Response> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > mostBytes) throw new Error('the answer is too large');
    chunks.push(chunk);
  }
  const hasBody = response.status !== 204 && response.status !== 304;
  return new Response(hasBody ? Buffer.concat(chunks) : null, { status: response.status, headers: response.headers });
}
