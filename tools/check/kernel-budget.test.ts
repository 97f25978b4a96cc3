import { expect, test } from '@jest/globals';
import { countKernelLines, kernelBudgetFault } from './kernel-budget.ts';

test('a kernel of more than 5,000 lines is refused', () => {
  expect(kernelBudgetFault(5_001)).toContain('5001 lines');
  expect(kernelBudgetFault(5_000)).toBe('');
  expect(countKernelLines()).toBeGreaterThan(1_000);
});
