/**
 * Simulates a process that is killed between two steps. From the chosen step on every call fails,
 * until `restart`. A step is the moment before or after a database call or a call to a peer.
 */
export class CrashInjector {
  #left = Number.POSITIVE_INFINITY;
  #hasCrashed = false;
  steps = 0;

  /** Resets the count and crashes at this step. Without a step it only counts. */
  arm(step = Number.POSITIVE_INFINITY): void {
    this.#left = step;
    this.#hasCrashed = false;
    this.steps = 0;
  }

  restart(): void {
    this.arm();
  }

  get hasCrashed(): boolean {
    return this.#hasCrashed;
  }

  step(): void {
    this.steps += 1;
    this.#left -= 1;
    if (this.#left <= 0) this.#hasCrashed = true;
    if (this.#hasCrashed) throw new Error('the test killed this process');
  }

  /** The same object; each named method counts a step before and after its call. */
  wrap<Target extends object>(target: Target, names: readonly (keyof Target)[]): Target {
    const copy = Object.create(target, {});
    for (const name of names) {
      const method = target[name];
      if (typeof method !== 'function') continue;
      Object.defineProperty(copy, name, {
        enumerable: true,
        value: async (...args: unknown[]) => {
          this.step();
          const result: unknown = await method.apply(target, args);
          this.step();
          return result;
        },
      });
    }
    return copy;
  }
}
