import { describe, expect, test } from '@jest/globals';
import { record } from '../../support/faults/record.ts';
import { fuzz } from '../../support/hostile/fuzz.ts';
import { openStack } from '../../support/shared-stack.ts';

const stack = await openStack();

describe('hostile input, at length', () => {
  test('20,000 requests without a 5xx, a leak or an unknown code', async () => {
    const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 1e9));
    console.log(`FUZZ_SEED=${seed}`);
    const { sent, findings } = await fuzz(stack, 260, seed);
    expect(findings).toStrictEqual([]);
    record('Hostile input, at length', [
      '| requests | 5xx, leaks, unknown codes or slow answers |',
      '|---|---|',
      `| ${sent} | ${findings.length} |`,
    ]);
    expect(sent).toBeGreaterThanOrEqual(20_000);
  });
});
