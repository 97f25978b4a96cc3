import { join } from 'node:path';
import type { Environment } from '../stack/environment.ts';
import { repositoryFolder } from '../stack/repository.ts';

export interface StartOptions {
  readonly dataDir: string;
  readonly host: string;
  readonly port: number;
  /** The launcher's environment without its own and npm's variables, for the services. */
  readonly env: Environment;
}

const ownVariables = /^(npm_|NODE_COMPILE_CACHE$|NODE_OPTIONS$|TESSERA_|TEST_|PORT$|HOST$|DATA_DIR$|HTTP_LISTEN$|GRPC_LISTEN$)/;

/** PORT, HOST and DATA_DIR, and the rest of the environment for the services. */
export function readOptions(environment: NodeJS.ProcessEnv): StartOptions {
  const port = Number(environment.PORT || 3000);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error('PORT must be a number from 0 (any free port) to 65535');
  const passed = Object.entries(environment).flatMap(([name, value]) =>
    value === undefined || ownVariables.test(name) ? [] : [[name, value]],
  );
  return {
    dataDir: environment.DATA_DIR || join(repositoryFolder, '.data'),
    host: environment.HOST || '127.0.0.1',
    port,
    env: Object.fromEntries(passed),
  };
}
