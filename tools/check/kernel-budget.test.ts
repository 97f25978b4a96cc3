import { expect, test } from '@jest/globals';
import { countKernelLines, kernelBudgetFault } from './kernel-budget.ts';

test('a kernel over its budget is refused', () => {
  expect(kernelBudgetFault(6_031)).toContain('6031 lines');
  expect(kernelBudgetFault(6_030)).toBe('');
  expect(countKernelLines()).toBeGreaterThan(1_000);
});
