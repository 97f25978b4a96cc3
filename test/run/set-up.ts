import { openRun } from './run.ts';

export default async function setUp(): Promise<void> {
  await openRun();
}
