import { expect, test } from '@jest/globals';
import { countKernelLines, kernelBudgetFault } from './kernel-budget.ts';

test('a kernel over its budget is refused', () => {
  expect(kernelBudgetFault(6_101)).toContain('6101 lines');
  expect(kernelBudgetFault(6_100)).toBe('');
  expect(countKernelLines()).toBeGreaterThan(1_000);
});
