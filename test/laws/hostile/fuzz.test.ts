import { describe, expect, test } from '@jest/globals';
import { record } from '../../support/faults/record.ts';
import { fuzz } from '../../support/hostile/fuzz.ts';
import { openStack } from '../../support/shared-stack.ts';

const stack = await openStack();

describe('hostile input', () => {
  test('never gets a 5xx, a leak or an unknown code: a sample of each operation', async () => {
    const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 1e9));
    console.log(`FUZZ_SEED=${seed}`);
    const { sent, findings } = await fuzz(stack, 15, seed);
    expect(findings).toStrictEqual([]);
    record('Hostile input', ['| requests | 5xx, leaks, unknown codes or slow answers |', '|---|---|', `| ${sent} | ${findings.length} |`]);
    expect(sent).toBeGreaterThanOrEqual(1_000);
  });
});
