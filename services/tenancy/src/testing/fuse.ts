/**
 * Kills a process between two of its steps, as SIGKILL would: at the chosen step it stops, and everything it tries after that fails
 * too, until it is started again. A step is the moment before or after a statement's commit or a call to a peer.
 */
export class Fuse {
  #left = Number.POSITIVE_INFINITY;
  #isBlown = false;
  steps = 0;

  /** Counts anew and dies at this step; without one it only counts. */
  arm(step = Number.POSITIVE_INFINITY): void {
    this.#left = step;
    this.#isBlown = false;
    this.steps = 0;
  }

  /** The process is started again. */
  renew(): void {
    this.arm();
  }

  get isBlown(): boolean {
    return this.#isBlown;
  }

  step(): void {
    this.steps += 1;
    this.#left -= 1;
    if (this.#left <= 0) this.#isBlown = true;
    if (this.#isBlown) throw new Error('killed');
  }

  /** The same functions, each with a step before and one after it. */
  guard<Guarded extends object>(guarded: Guarded, names: readonly (keyof Guarded)[]): Guarded {
    const copy = Object.create(guarded, {});
    for (const name of names) {
      const original = guarded[name];
      if (typeof original !== 'function') continue;
      Object.defineProperty(copy, name, {
        enumerable: true,
        value: async (...given: unknown[]) => {
          this.step();
          const result: unknown = await original.apply(guarded, given);
          this.step();
          return result;
        },
      });
    }
    return copy;
  }
}
