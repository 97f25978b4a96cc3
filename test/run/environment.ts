/** Jest's own environment for Node, with a limit on how long the whole file may take. */
import { relative } from 'node:path';
import { Worker } from 'node:worker_threads';
import { TestEnvironment } from 'jest-environment-node';

type Given = ConstructorParameters<typeof TestEnvironment>;

/** Jest's timeout can't end a test that blocks its process. A thread can. */
const killAfterLimit = `
  const { limitMs, message } = require('node:worker_threads').workerData;
  setTimeout(() => {
    require('node:fs').writeSync(2, message);
    process.kill(process.pid, 'SIGKILL');
  }, limitMs);
`;

export default class extends TestEnvironment {
  readonly #limit: Worker;

  constructor(config: Given[0], context: Given[1]) {
    super(config, context);
    const { rootDir, testEnvironmentOptions } = config.projectConfig;
    const limitMs = Number(testEnvironmentOptions['limitMs']);
    const message = `!!! ${relative(rootDir, context.testPath)} has not ended after ${limitMs / 1_000} s and is killed\n`;
    this.#limit = new Worker(killAfterLimit, { eval: true, execArgv: [], workerData: { limitMs, message } });
    this.#limit.unref();
  }

  override async teardown(): Promise<void> {
    await this.#limit.terminate();
    await super.teardown();
  }
}
