import type { FastifyInstance, FastifyReply } from 'fastify';
import { file, packaged, serveAsset, text } from './assets.ts';
import { html, pageHeaders, sessionStyle } from './html.ts';

const script = 'text/javascript; charset=utf-8';
const style = 'text/css; charset=utf-8';

const page = (sessionScript: string | undefined) =>
  html({
    title: 'Tessera GraphQL',
    styles: ['/graphql/graphiql.css', '/graphql/page.css'],
    scripts: ['/graphql/react.js', '/graphql/react-dom.js', '/graphql/graphiql.js', '/graphql/start.js'],
    rootId: 'graphiql',
    sessionScript,
  });

const start = `ReactDOM.createRoot(document.getElementById('graphiql')).render(
  React.createElement(GraphiQL, {
    fetcher: GraphiQL.createFetcher({
      url: '/graphql',
      fetch: (url, init) => (globalThis.consoleSession ?? globalThis).fetch(url, init),
    }),
    defaultEditorToolsVisibility: true,
    shouldPersistHeaders: false,
    defaultQuery: '# Press "Use my console session",\\n# or write a token into Headers below:\\n# { "authorization": "Bearer <access token>" }\\nquery Me {\\n  me {\\n    email\\n    user {\\n      id\\n      name\\n    }\\n  }\\n}\\n',
  }),
);
`;

const pageStyle = `html, body { height: 100%; margin: 0; }
body { display: flex; flex-direction: column; }
#graphiql { flex: 1; min-height: 0; }
${sessionStyle}`;

/** GraphiQL, for browsers at GET /graphql. */
export function graphiqlPage(sessionScript: string | undefined): (reply: FastifyReply) => FastifyReply {
  const document = page(sessionScript);
  return (reply) => reply.headers(pageHeaders).send(document);
}

/** The files of that page, which loads no others. There are none if introspection is off. */
export function installGraphiql(app: FastifyInstance): void {
  app.get('/graphql/graphiql.js', serveAsset(file(packaged('graphiql', 'graphiql.min.js'), script)));
  app.get('/graphql/graphiql.css', serveAsset(file(packaged('graphiql', 'graphiql.min.css'), style)));
  app.get('/graphql/react.js', serveAsset(file(packaged('react', 'umd/react.production.min.js'), script)));
  app.get('/graphql/react-dom.js', serveAsset(file(packaged('react-dom', 'umd/react-dom.production.min.js'), script)));
  app.get('/graphql/start.js', serveAsset(text(start, script, 60)));
  app.get('/graphql/page.css', serveAsset(text(pageStyle, style, 60)));
}
