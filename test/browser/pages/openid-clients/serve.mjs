/** How a test runs a foreign client: it prints its address and reads its configuration. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

export function page(title) {
  return new Response(`<!doctype html><title>${title}</title><h1>${title}</h1>`, {
    headers: { 'content-type': 'text/html; charset=utf-8' },
  });
}

/** `start` gets the configuration with the address of the app, and gives what answers requests. */
export async function serve(start) {
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${server.address().port}`;
  console.log(url);
  const [line] = await once(createInterface({ input: process.stdin }), 'line');
  const handle = await start({ ...JSON.parse(line), url });
  console.log('ready');

  async function answer(request, response) {
    const chunks = await Array.fromAsync(request);
    const body = chunks.length === 0 ? {} : { body: Buffer.concat(chunks) };
    // The page shows a failure, so that the test does.
    const { status, headers, ...answered } = await handle(
      new Request(url + request.url, { method: request.method, headers: new Headers(Object.entries(request.headers)), ...body }),
    ).then(
      async (given) => ({ status: given.status, headers: given.headers, text: await given.text() }),
      (error) => ({ status: 500, headers: new Headers({ 'content-type': 'text/html' }), text: `<h1>${error.stack}</h1>` }),
    );
    const others = [...headers].filter(([name]) => name !== 'set-cookie').flat();
    response.writeHead(status, [...others, ...headers.getSetCookie().flatMap((cookie) => ['set-cookie', cookie])]).end(answered.text);
  }
}
