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

describe('hostile input', () => {
  it('never gets a 5xx, a leak or an unknown code: a sample of each operation', async (context) => {
    const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 1e9));
    context.diagnostic(`FUZZ_SEED=${seed}`);
    const { sent, findings } = await fuzz(stack, 15, seed);
    assert.deepEqual(findings, []);
    record('Hostile input', ['| requests | 5xx, leaks, unknown codes or slow answers |', '|---|---|', `| ${sent} | ${findings.length} |`]);
    assert.ok(sent >= 1_000, `only ${sent} requests`);
  });
});
