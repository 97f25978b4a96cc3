/** A web server that answers documents of clients, well or not. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export async function startDocumentHost() {
  const answers = new Map<string, Answer>();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const answer = answers.get(request.url ?? '');
    if (answer !== undefined) return answer(request, response);
    response.writeHead(404).end();
  });
  // Not one of the addresses that a redirect to the person's own device has.
  server.listen(0, '127.0.0.2');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const host = `127.0.0.2:${port}`;
  const base = `http://${host}`;

  const callback = `https://${host}/callback`;

  return {
    host,
    base,
    /** Nothing calls it. */
    callback,
    /** How often this path was asked for. */
    asked: (path: string) => asked.filter((one) => one === path).length,
    answers: (path: string, answer: Answer) => void answers.set(path, answer),
    /** A document that is in order, with changes; its address is the client id. */
    serve(path: string, changes: object = {}, headers: Readonly<Record<string, string>> = {}): string {
      const document = { client_id: base + path, client_name: 'An agent', redirect_uris: [callback], ...changes };
      answers.set(path, (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(document));
      });
      return base + path;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
