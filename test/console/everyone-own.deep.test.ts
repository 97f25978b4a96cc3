/** Every screen outside of organizations: its accessibility, and a hundred random clicks on it. */
import { testUnless } from '../../tools/testing/unless.ts';
import { skip } from '../pages/browser.ts';
import { startStackOnce } from '../pages/journey.ts';
import { clickEverywhere, randomSeed as seed } from './everyone.ts';

startStackOnce();

for (const part of ['home', 'first', 'me', 'account', 'platform'])
  testUnless(skip)(`screens of ${part}: no violation, no error after a hundred random clicks (TEST_SEED=${seed})`, () =>
    clickEverywhere({ isWanted: (name) => name.split('-')[0] === part, seed, clicks: 100, isInspected: true }),
  );
