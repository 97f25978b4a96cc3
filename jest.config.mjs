/**
 * How `npm test` runs Jest: which files belong to which project, and what each project starts
 * before its tests.
 */
import { availableParallelism } from 'node:os';

/**
 * The long suites, test/deep, run only when the command line asks for them: `npm run test:deep`, or
 * the path of one.
 */
const asksForDeep = process.argv.some((argument) => /\bdeep\b/.test(argument));
const testTimeoutMs = asksForDeep ? 3_600_000 : 240_000;

const ignored = ['/node_modules/', '\\.browser\\.test\\.ts$'];

/** A project of the given files. Node strips the types, so nothing is transformed. */
const project = (displayName, testMatch, settings = {}) => ({
  displayName,
  testMatch: testMatch.map((pattern) => `<rootDir>/${pattern}`),
  testPathIgnorePatterns: ignored,
  testEnvironment: '<rootDir>/test/run/environment.ts',
  runtime: '<rootDir>/test/run/runtime.ts',
  testEnvironmentOptions: { limitMs: 2.5 * testTimeoutMs },
  globalSetup: '<rootDir>/test/run/set-up.ts',
  globalTeardown: '<rootDir>/test/run/tear-down.ts',
  setupFilesAfterEnv: ['<rootDir>/test/run/matchers.ts'],
  transform: {},
  extensionsToTreatAsEsm: ['.ts'],
  // Node's own order. With .mjs first, graphql would be loaded twice and refuse its own schemas.
  moduleFileExtensions: ['js', 'mjs', 'cjs', 'ts', 'json', 'node'],
  ...settings,
});

const projects = [
  project(
    'unit',
    [
      '{kernel,packages,proto,server,tools,web,test/run,test/support}/**/*.test.ts',
      'test/laws/declarations/**/*.test.ts',
      'services/*/src/{,*/}domain/**/*.test.ts',
    ],
    {
      // The packages import each other by name, and in this repository nothing is built.
      moduleNameMapper: { '^@tessera/client$': '<rootDir>/packages/client/src/index.ts' },
    },
  ),
  project('service', ['services/*/{src,test}/**/*.test.ts'], {
    testPathIgnorePatterns: [...ignored, '/services/[^/]+/src/(?:[^/]+/)?domain/'],
  }),
  project('system', ['test/{laws,journeys,browser}/**/*.test.ts'], {
    testPathIgnorePatterns: [...ignored, '/test/laws/declarations/'],
    globalSetup: '<rootDir>/test/run/set-up-system.ts',
  }),
  project('browser', ['**/*.browser.test.ts'], {
    testPathIgnorePatterns: ['/node_modules/'],
    globalSetup: '<rootDir>/test/run/set-up-system.ts',
  }),
  project('deep', ['test/deep/**/*.test.ts'], { globalSetup: '<rootDir>/test/run/set-up-system.ts' }),
];

export default {
  projects: asksForDeep ? projects : projects.filter(({ displayName }) => displayName !== 'deep'),
  reporters: ['default', '<rootDir>/test/run/reporter.ts'],
  testSequencer: '<rootDir>/test/run/sequencer.ts',
  testTimeout: testTimeoutMs,
  // What a worker starts (five services, Postgres, a browser) keeps the cores busy with a worker
  // for each: with more, tests wait for each other until they fail.
  maxWorkers: availableParallelism(),
  // A limit makes Jest run every file in a worker process, also a single one: a file that hangs can
  // be ended there.
  workerIdleMemoryLimit: '1200MB',
};
