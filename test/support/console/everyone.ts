/** Every screen of a part of the console: looked at, and clicked on at random. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { at, signIns } from '../browser/journey.ts';
import { clickAround } from './clicks.ts';
import { inspect } from './inspect.ts';
import { allScreens, platformScreens } from './screens.ts';
import { platformAdministrator, team, visit } from './start.ts';

/** A failure names the seed; TEST_SEED repeats its clicks. */
export const randomSeed = Number(process.env['TEST_SEED'] ?? Date.now() % 1_000_000);

type Wanted = {
  readonly isWanted: (screen: string) => boolean;
  readonly seed: number;
  readonly clicks: number;
  readonly isInspected: boolean;
};

/** Expects no violation of WCAG 2.2 AA, and no error in the page's or the services' log. */
export async function clickEverywhere({ isWanted, seed, clicks, isInspected }: Wanted): Promise<void> {
  const all = await team();
  const ofPlatform = platformScreens(all.organization.id).filter(({ name }) => isWanted(name));
  const { page, complaints, context } = await visit(ofPlatform.length > 0 ? await platformAdministrator() : all.owner);
  const screens = [...allScreens(all).filter(({ name }) => isWanted(name)), ...ofPlatform];
  expect(screens.length).toBeGreaterThan(0);
  const before = logLengths();
  for (const { name, path } of screens) {
    await page.goto(at(path));
    await page.locator('h1').first().waitFor();
    await page.waitForLoadState('networkidle');
    if (isInspected) await inspect(page, name);
    const clicked = await clickAround(page, seed, clicks);
    expect({ seed, name, complaints, clicked: clicked.slice(-10) }).toMatchObject({ complaints: [] });
    expect([seed, name, new URL(page.url()).pathname.startsWith('/console')]).toStrictEqual([seed, name, true]);
  }
  await context.close();
  expect({ seed, logged: loggedErrors(before) }).toStrictEqual({ seed, logged: [] });
}

/** Bytes of each log, by file. */
function logLengths(): ReadonlyMap<string, number> {
  const folder = logs();
  return new Map(readdirSync(folder).map((file) => [file, statSync(join(folder, file)).size]));
}

/**
 * What the services have logged since then at the level of errors. Other suites use the stack too:
 * a connection that came too late on a busy machine is theirs, or is among the page's complaints.
 */
function loggedErrors(before: ReadonlyMap<string, number>): string[] {
  const folder = logs();
  return readdirSync(folder).flatMap((file) =>
    readFileSync(join(folder, file))
      .subarray(before.get(file) ?? 0)
      .toString('utf8')
      .split('\n')
      .filter((line) => /"level":(50|60|"error"|"fatal")/.test(line))
      .filter((line) => !/timeout exceeded when trying to connect|terminated due to connection timeout/.test(line))
      .map((line) => `${file}: ${line.slice(0, 400)}`),
  );
}

const logs = (): string => join(signIns().stack.dataDir, 'logs');
