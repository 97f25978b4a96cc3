/** The environment of every test file: Jest's own for Node, and a limit on how long the whole file may take. */
import { relative } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { EnvironmentContext, JestEnvironmentConfig } from '@jest/environment';
import { TestEnvironment } from 'jest-environment-node';

/** Jest's timeout ends no test that blocks its process. A thread of its own does. */
const endProcess = `
  const { workerData } = require('node:worker_threads');
  setTimeout(() => {
    require('node:fs').writeSync(2, workerData.message);
    process.kill(process.pid, 'SIGKILL');
  }, workerData.limitMs);
`;

export default class extends TestEnvironment {
  readonly #limit: Worker;

  constructor(config: JestEnvironmentConfig, context: EnvironmentContext) {
    super(config, context);
    const { rootDir, testEnvironmentOptions } = config.projectConfig;
    const limitMs = Number(testEnvironmentOptions['limitMs']);
    const message = `!!! ${relative(rootDir, context.testPath)} has not ended after ${limitMs / 1_000} s and is killed\n`;
    this.#limit = new Worker(endProcess, { eval: true, execArgv: [], workerData: { limitMs, message } });
    this.#limit.unref();
  }

  override async teardown(): Promise<void> {
    await this.#limit.terminate();
    await super.teardown();
  }
}
