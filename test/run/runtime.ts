/**
 * Loads test files by Node's own loader, in the worker's own realm. The product and its packages
 * are loaded once for each worker and come out of the compile cache, where Jest's own loader
 * compiles the whole service anew for each file. Test code is loaded anew for each file, so its
 * state ends with the file.
 */
import { createRequire, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

// Its types are those of its CommonJS file.
const { default: Runtime }: typeof import('jest-runtime') = createRequire(import.meta.url)('jest-runtime');

type Globals = typeof import('@jest/globals');
type Arguments = ConstructorParameters<typeof Runtime>;

/** `expect` compares with String and Error of the tests' realm, and Jest must use the same one. */
const sharedWithJest: ReadonlySet<string> = new Set(['@jest/expect', 'expect']);
const globalNames = ['afterAll', 'afterEach', 'beforeAll', 'beforeEach', 'describe', 'expect', 'it', 'jest', 'test'] as const;
const globalsUrl = 'tessera-test:globals';
const globalsKey = Symbol.for(globalsUrl);

/** The test files, the folders `test` and `testing`, and what Jest loads before a file. */
const isTestCode = (url: string) => /^file:.*(\/(test|testing)\/[^?]*|\.test)\.ts$/.test(url) && !url.includes('/node_modules/');

/** The file that runs in this worker. */
const current = { number: 0, mapped: [] as readonly (readonly [RegExp, string])[] };

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === '@jest/globals') return { url: globalsUrl, format: 'module', shortCircuit: true };
    const [, mapped] = current.mapped.find(([pattern]) => pattern.test(specifier)) ?? [];
    const resolved = next(mapped === undefined ? specifier : pathToFileURL(mapped).href, context);
    return isTestCode(resolved.url) ? { ...resolved, url: `${resolved.url}?${current.number}` } : resolved;
  },
  load(url, context, next) {
    if (url === globalsUrl) return { format: 'module', source: globalsSource, shortCircuit: true };
    return next(url, context);
  },
});

/**
 * Looks the globals up at each use. A module stays in memory as long as the worker: one that held
 * them would keep Jest's whole realm of each file.
 */
const globalsSource = `
  const live = (name) => new Proxy(() => {}, {
    apply: (_target, _this, values) => globalThis[Symbol.for('${globalsUrl}')][name](...values),
    get: (_target, property) => globalThis[Symbol.for('${globalsUrl}')][name][property],
  });
  ${globalNames.map((name) => `export const ${name} = live('${name}');`).join('\n  ')}
`;

/** Jest's own formatter of stack traces, but for the numbers: a trace names the file. */
let formatter: typeof Error.prepareStackTrace;

function nameFiles(): void {
  const own = Error.prepareStackTrace;
  if (own === undefined || own === formatter) return;
  formatter = (error, sites) => String(own(error, sites)).replaceAll(/file:\/\/(\/[^?:\s)]*)\?\d+/g, '$1');
  Error.prepareStackTrace = formatter;
}

export default class extends Runtime {
  readonly #environment = { ...process.env };
  readonly #console = globalThis.console;

  constructor(...parameters: Arguments) {
    super(...parameters);
    const [project, { global }] = parameters;
    // What a file prints is shown with its result, and not after the last line.
    globalThis.console = global.console;
    current.number += 1;
    current.mapped = project.moduleNameMapper.map(([pattern, path]) => [new RegExp(pattern), String(path)]);
  }

  override requireInternalModule<Module = unknown>(from: string, to?: string): Module {
    return to !== undefined && sharedWithJest.has(to) ? createRequire(from)(to) : super.requireInternalModule<Module>(from, to);
  }

  override async unstable_importModule(file: string): Promise<unknown> {
    nameFiles();
    Object.assign(globalThis, { [globalsKey]: this.requireModuleOrMock<Globals>(file, '@jest/globals') });
    return import(pathToFileURL(file).href);
  }

  /** What a file sets in the environment ends with it. */
  override teardown(): void {
    for (const name of Object.keys(process.env)) if (!(name in this.#environment)) delete process.env[name];
    Object.assign(process.env, this.#environment);
    globalThis.console = this.#console;
    super.teardown();
  }
}
