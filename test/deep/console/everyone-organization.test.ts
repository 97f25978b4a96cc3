/** Every screen of an organization: its accessibility, and a hundred random clicks on it. */

import { skip } from '../../support/browser/browser.ts';
import { startStackOnce } from '../../support/browser/journey.ts';
import { clickEverywhere, randomSeed as seed } from '../../support/console/everyone.ts';
import { testUnless } from '../../support/unless.ts';

startStackOnce();

for (const part of ['organization'])
  testUnless(skip)(`screens of ${part}: no violation, no error after a hundred random clicks (TEST_SEED=${seed})`, () =>
    clickEverywhere({ isWanted: (name) => name.split('-')[0] === part, seed, clicks: 100, isInspected: true }),
  );
