import type { FastifyInstance, FastifyReply } from 'fastify';
import { file, packaged, serveAsset, text } from './assets.ts';
import { html, pageHeaders } from './html.ts';

const script = 'text/javascript; charset=utf-8';
const style = 'text/css; charset=utf-8';

const page = html({
  title: 'Tessera GraphQL',
  styles: ['/graphql/graphiql.css', '/graphql/page.css'],
  scripts: ['/graphql/react.js', '/graphql/react-dom.js', '/graphql/graphiql.js', '/graphql/start.js'],
  rootId: 'graphiql',
});

const start = `ReactDOM.createRoot(document.getElementById('graphiql')).render(
  React.createElement(GraphiQL, {
    fetcher: GraphiQL.createFetcher({ url: '/graphql' }),
    defaultEditorToolsVisibility: true,
    shouldPersistHeaders: false,
    defaultQuery: '# Sign in with the login mutation, then write into Headers below:\\n# { "authorization": "Bearer <access token>" }\\nquery Me {\\n  me {\\n    email\\n    user {\\n      id\\n      name\\n    }\\n  }\\n}\\n',
  }),
);
`;

/** GraphiQL, for browsers at GET /graphql. */
export function graphiqlPage(reply: FastifyReply): FastifyReply {
  return reply.headers(pageHeaders).send(page);
}

/** The files of that page, which loads no others. There are none if introspection is off. */
export function installGraphiql(app: FastifyInstance): void {
  app.get('/graphql/graphiql.js', serveAsset(file(packaged('graphiql', 'graphiql.min.js'), script)));
  app.get('/graphql/graphiql.css', serveAsset(file(packaged('graphiql', 'graphiql.min.css'), style)));
  app.get('/graphql/react.js', serveAsset(file(packaged('react', 'umd/react.production.min.js'), script)));
  app.get('/graphql/react-dom.js', serveAsset(file(packaged('react-dom', 'umd/react-dom.production.min.js'), script)));
  app.get('/graphql/start.js', serveAsset(text(start, script)));
  app.get('/graphql/page.css', serveAsset(text('html, body, #graphiql { height: 100%; margin: 0; }\n', style)));
}
