/** Looks at one screen quickly: the tests of each screen look at its dialogs and widths. */
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { expectNoViolation, keepPicture as keep } from '../browser/browser.ts';

/** No violation of WCAG 2.2 AA in either theme. */
export async function inspect(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await keep(page, `every-${name}`, `wide-${colorScheme}`);
    await expectNoViolation(page, name, colorScheme);
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

/** Narrow and wide; nothing is wider than the window. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  for (const [size, width] of [['narrow', 360] as const, ['wide', 1440] as const]) {
    await page.setViewportSize({ width, height: 900 });
    await keep(page, `every-${name}`, `${size}-light`);
    expect([name, size, await page.evaluate('document.documentElement.scrollWidth - innerWidth')]).toStrictEqual([name, size, 0]);
  }
}
