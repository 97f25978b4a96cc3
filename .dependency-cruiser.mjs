// One sentence a rule; the arrow of CONTRIBUTING.md: transport → operations → { domain, storage }.
// That rooms have an order is checked by tools/check/rooms.ts.
/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'services-never-import-each-other',
      comment: 'Services meet in proto/ and in the composed graph, never in code.',
      severity: 'error',
      from: { path: '^services/([^/]+)/' },
      to: { path: '^services/', pathNot: '^services/$1/' },
    },
    {
      name: 'kernel-knows-no-service',
      comment: 'Kernel and server are below the services: they import no service, package, tool or system test.',
      severity: 'error',
      from: { path: '^(kernel|server)/' },
      to: { path: '^(services|packages|tools|test)/' },
    },
    {
      name: 'kernel-knows-no-transport',
      comment: 'The server stands on the kernel: the kernel imports neither it nor what only REST and GraphQL need.',
      severity: 'error',
      from: { path: '^kernel/' },
      to: { path: '^server/|node_modules/(fastify|cookie|graphql|graphql-jit|@apollo)/' },
    },
    {
      name: 'product-does-not-import-tools',
      comment: 'What runs in production imports neither tools/ nor test/.',
      severity: 'error',
      from: { path: '^(services|packages)/' },
      to: { path: '^(tools|test)/|\\.test\\.ts$|/testing/' },
    },
    {
      name: 'domain-is-pure',
      comment: 'The domain imports nothing but itself, the shared rules, hashing and the kernel rooms without I/O.',
      severity: 'error',
      from: { path: '^services/([^/]+)/src/([^/]+/|)domain/' },
      to: {
        pathNot:
          '^crypto$|^packages/rules/|^services/$1/src/(domain/|[^/]+/domain/|errors\\.ts$|[^/]+/errors\\.ts$|permissions\\.ts$)|^kernel/src/(scope|errors|ids|authorization|operation)/',
      },
    },
    {
      name: 'operations-do-not-know-their-transports',
      comment: 'Operations and what is below them decide and keep; they do not know how they were called.',
      severity: 'error',
      from: { path: '^services/[^/]+/src/([^/]+/|)(operations|domain|storage)/' },
      to: { path: '^services/[^/]+/src/transport/|^server/' },
    },
    {
      name: 'storage-is-at-the-bottom',
      comment: 'Storage knows domain types, and nothing above them.',
      severity: 'error',
      from: { path: '^services/[^/]+/src/([^/]+/|)storage/' },
      to: { path: '^services/[^/]+/src/([^/]+/|)(operations|transport)/' },
    },
    {
      name: 'sessions-are-opened-by-sign-in',
      comment: 'Every way in ends in sign-in.ts: only it opens sessions, so that no demand is asked at one door and missed at another.',
      severity: 'error',
      from: { path: '^services/identity/', pathNot: '^services/identity/src/sign-in/(sign-in|session-issuer)\\.ts$' },
      to: { path: '^services/identity/src/sign-in/(session-issuer|storage/open-session)\\.ts$' },
    },
    {
      name: 'rooms-are-entered-by-the-door',
      comment: 'A room of the kernel or the server is imported by its index.ts, from outside as from their other rooms.',
      severity: 'error',
      from: { path: '^(?:((?:kernel|server)/src/[^/]+)/|services/|packages/)' },
      to: { path: '^(?:kernel|server)/src/', pathNot: '^(?:kernel|server)/src/[^/]+/index\\.ts$|^$1/' },
    },
    {
      name: 'elastic-license-behind-one-folder',
      comment: 'The Elastic-licensed Apollo packages stay where one look finds them: in the gateway.',
      severity: 'error',
      from: { path: '^(kernel|server|packages|proto|services/(?!gateway/))' },
      to: { path: 'node_modules/@apollo/(gateway|composition|query-planner|query-graphs|federation-internals)/' },
    },
    {
      name: 'rules-are-pure',
      comment: 'Rules that pages and services share import nothing.',
      severity: 'error',
      from: { path: '^packages/rules/' },
      to: { pathNot: '^packages/rules/' },
    },
    {
      name: 'imports-resolve',
      comment:
        'Every import leads to a file or to an installed package. @tessera/client is built when it is packed; Next.js is what others have.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^@tessera/client$|^next/' },
    },
  ],
  options: {
    parser: 'swc', // dependency-cruiser's TypeScript support ends before version 7
    doNotFollow: { path: 'node_modules' },
    // Tests may reach for anything. Examples import the packed package. The parser does not know
    // `using`, which tools and tests use.
    exclude: {
      path: '/generated/|^packages/[^/]+/(?:dist|templates)/|\\.test\\.ts$|[./]fixture\\.ts$|/testing/|^packages/[^/]+/(?:test|example)/|^kernel/test/',
    },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.mjs', '.js', '.json'],
    },
  },
};
