// light-my-request requires this ES module. Jest refuses that while a module graph that imports it
// is still being loaded; loaded before, it is there.
import 'cookie';
import { expect } from '@jest/globals';

declare module 'expect' {
  interface Matchers<R extends void | Promise<void>> {
    /** Like `toStrictEqual`; `about` names the case, and is shown when the values differ. */
    toStrictEqualFor(about: unknown, expected: unknown): R;
  }
}

expect.extend({
  toStrictEqualFor(received, about, expected) {
    try {
      expect([about, received]).toStrictEqual([about, expected]);
      return { pass: true, message: () => 'the values are equal' };
    } catch (error) {
      return { pass: false, message: () => String(Error.isError(error) ? error.message : error) };
    }
  },
});
