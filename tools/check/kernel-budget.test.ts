import { expect, test } from '@jest/globals';
import { countKernelLines, kernelBudgetFault } from './kernel-budget.ts';

test('a kernel over its budget is refused', () => {
  expect(kernelBudgetFault(6_001)).toContain('6001 lines');
  expect(kernelBudgetFault(6_000)).toBe('');
  expect(countKernelLines()).toBeGreaterThan(1_000);
});
