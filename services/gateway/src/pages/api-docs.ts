import type { FastifyInstance } from 'fastify';
import { file, packaged, serveAsset, text } from './assets.ts';
import { html, pageHeaders, sessionStyle } from './html.ts';

const script = 'text/javascript; charset=utf-8';
const style = 'text/css; charset=utf-8';
const plain = 'text/plain; charset=utf-8';

const page = (sessionScript: string | undefined) =>
  html({
    title: 'Tessera API',
    styles: ['/api-docs/swagger-ui.css', '/api-docs/page.css'],
    scripts: ['/api-docs/swagger-ui.js', '/api-docs/start.js'],
    rootId: 'api',
    sessionScript,
  });

/** The token is put in behind Swagger UI, so that neither its state nor its curl lines have it. */
const start = `SwaggerUIBundle({
  url: '/api-docs.json',
  dom_id: '#api',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  persistAuthorization: false,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  requestInterceptor: (request) => {
    request.userFetch = (url, init) => (globalThis.consoleSession ?? globalThis).fetch(url, init);
    return request;
  },
});
`;

/** The OpenAPI document, and a page to read and try it. The page loads nothing from other hosts. */
export function installApiDocs(app: FastifyInstance, folder: URL, sessionScript: string | undefined): void {
  const document = page(sessionScript);
  app.get('/api-docs.json', serveAsset(file(new URL('openapi.json', folder), 'application/json; charset=utf-8', 60)));
  app.get('/api-docs', (_request, reply) => reply.headers(pageHeaders).send(document));
  app.get('/api-docs/swagger-ui.js', serveAsset(file(packaged('swagger-ui-dist', 'swagger-ui-bundle.js'), script)));
  app.get('/api-docs/swagger-ui.css', serveAsset(file(packaged('swagger-ui-dist', 'swagger-ui.css'), style)));
  app.get('/api-docs/start.js', serveAsset(text(start, script, 60)));
  app.get('/api-docs/page.css', serveAsset(text(`body { margin: 0; }\n${sessionStyle}`, style, 60)));
}

/** What other clients are built on: the GraphQL schema, and the proto file of decisions. */
export function installSchemaFiles(app: FastifyInstance, folder: URL): void {
  const schema = new URL('schema.graphql', folder);
  const proto = packaged('@tessera/proto', 'rbac/v1/authorization.proto');
  app.get('/api-docs/schema.graphql', serveAsset(file(schema, plain, 60)));
  app.get('/api-docs/rbac.proto', serveAsset(file(proto, plain, 60)));
}
