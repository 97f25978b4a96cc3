/** What a test may send with a request. */
export type Sent = { readonly token?: string | undefined; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> };

/** Sends JSON with a bearer token. Returns the answer with its text, which may be empty. */
export async function requestJson(url: string, method: string, { token, body, headers }: Sent) {
  const response = await fetch(url, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: JSON.parse(text === '' ? '{}' : text) };
}
