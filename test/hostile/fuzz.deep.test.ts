import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { record } from '../faults/record.ts';
import { openStack, type SystemStack } from '../system/stack.ts';
import { fuzz } from './fuzz.ts';

let stack: SystemStack;
before(async () => {
  stack = await openStack();
});
after(() => stack.close());

describe('hostile input, at length', () => {
  it('20,000 requests without a 5xx, a leak or an unknown code', async (context) => {
    const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 1e9));
    context.diagnostic(`FUZZ_SEED=${seed}`);
    const { sent, findings } = await fuzz(stack, 260, seed);
    assert.deepEqual(findings, []);
    record('Hostile input, at length', [
      '| requests | 5xx, leaks, unknown codes or slow answers |',
      '|---|---|',
      `| ${sent} | ${findings.length} |`,
    ]);
    assert.ok(sent >= 20_000, `only ${sent} requests`);
  });
});
