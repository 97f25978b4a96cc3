/** Registers a test where it can run. Elsewhere it is skipped, and its name says why. */
import { describe, test } from '@jest/globals';

/** Why the test is skipped, or false. */
type Reason = string | false;

export function describeUnless(reason: Reason): (...given: Parameters<typeof describe>) => void {
  return reason === false ? describe : (name, body) => describe.skip(`${name} (${reason})`, body);
}

export function testUnless(reason: Reason): (...given: Parameters<typeof test>) => void {
  return reason === false ? test : (name, ...rest) => test.skip(`${name} (${reason})`, ...rest);
}
