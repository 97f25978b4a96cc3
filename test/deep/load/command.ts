/** The tessera command from its sources: it imports the client by name, and nothing is built. */
import { registerHooks } from 'node:module';

const client = new URL('../../../packages/client/src/index.ts', import.meta.url).href;
registerHooks({
  resolve: (specifier, context, next) => (specifier === '@tessera/client' ? { url: client, shortCircuit: true } : next(specifier, context)),
});
await import(new URL('../../../packages/cli/src/main.ts', import.meta.url).href);
