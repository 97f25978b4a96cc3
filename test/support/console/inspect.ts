/** Looks at one screen quickly: the tests of each screen look at its dialogs and widths. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { pictures } from '../browser/browser.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** No violation of WCAG 2.2 AA in either theme. */
export async function inspect(page: Page, name: string): Promise<void> {
  await page.evaluate(axe);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.screenshot({ path: join(pictures, `every-${name}-${colorScheme}.png`), fullPage: true });
    const violations = await page.evaluate(
      `axe.run(document, { runOnly: ${JSON.stringify(rules)} }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`,
    );
    expect([name, colorScheme, violations]).toStrictEqual([name, colorScheme, []]);
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

/** Narrow and wide; nothing is wider than the window. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  for (const [size, width] of [['narrow', 360] as const, ['wide', 1440] as const]) {
    await page.setViewportSize({ width, height: 900 });
    await page.screenshot({ path: join(pictures, `every-${name}-${size}.png`), fullPage: true });
    expect([name, size, await page.evaluate('document.documentElement.scrollWidth - innerWidth')]).toStrictEqual([name, size, 0]);
  }
}
