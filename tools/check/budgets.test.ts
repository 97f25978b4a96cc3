import { expect, test } from '@jest/globals';
import { budgetFault, budgets, countLines, findBudgetFaults } from './budgets.ts';

test('a kernel of more than 5,000 lines is refused, and a server over its own budget', () => {
  expect(budgets.kernel).toBe(5_000);
  expect(budgetFault('kernel', 5_001)).toBe('kernel/src has 5001 lines that are not blank; its budget is 5000.');
  expect(budgetFault('server', budgets.server + 1)).toMatch(/^server\/src has \d+ lines/);
  expect([budgetFault('kernel', 5_000), budgetFault('server', budgets.server)]).toStrictEqual(['', '']);
});

test('the lines of both are counted, and within their budgets today', () => {
  expect(countLines('kernel')).toBeGreaterThan(1_000);
  expect(countLines('server')).toBeGreaterThan(500);
  expect(findBudgetFaults()).toStrictEqual([]);
});
