/** How much work of the page's own main thread each frame costs. */
import type { Page } from 'playwright-core';

export type Frames = { readonly frames: number; readonly cpuMsPerFrame: number; readonly longest: number };

/**
 * Scrolls the page up and down for a number of frames. Counts the main thread's processor time, not
 * the time on the clock: what else the machine does must not decide.
 */
export async function measureScroll(page: Page, frames: number): Promise<Frames> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const taskSeconds = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
  };
  const before = await taskSeconds();
  const longest = await page.evaluate<number>(`(async () => {
    let longest = 0;
    for (let frame = 0; frame < ${frames}; frame += 1) {
      const began = performance.now();
      scrollTo(0, (frame * 40) % Math.max(1, document.documentElement.scrollHeight - innerHeight));
      document.documentElement.getBoundingClientRect();
      longest = Math.max(longest, performance.now() - began);
      await new Promise(requestAnimationFrame);
    }
    return longest;
  })()`);
  const spent = (await taskSeconds()) - before;
  await session.detach();
  return { frames, cpuMsPerFrame: (spent * 1_000) / frames, longest };
}
