/** Clicks on whatever there is, by a seed that a failure names. */
import type { Page } from 'playwright-core';

/**
 * What ends the session or leaves the console is left out; what deletes asks for a name, which no
 * click types.
 */
const left = 'sign out|abmelden|end session|end all|try|leave|make primary|verify|sign-in|connect|verbinden';

/**
 * Runs in the page, because a round trip for each click would take most of the time. Comes back to
 * the screen when a click has led elsewhere. Returns what was clicked.
 */
const clicker = `async ({ seed, count, left }) => {
  let state = seed;
  const random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const start = location.pathname;
  const isLeft = new RegExp(left, 'i');
  const choosable = 'button, a[href^="/console"], [role=menuitem], [role=option], [role=tab], input, textarea, summary, th button';
  const isReachable = (element) => {
    const box = element.getBoundingClientRect();
    if (box.width === 0 || box.height === 0 || element.disabled || element.type === 'file') return false;
    return !isLeft.test((element.innerText || '') + ' ' + (element.getAttribute('aria-label') || ''));
  };
  // Not back: the entry before may be of another document.
  const comeBack = () => history.pushState(null, '', start);
  const clicked = [];
  for (let at = 0; at < count; at += 1) {
    const modal = document.querySelector('[role=dialog]');
    const found = [...document.querySelectorAll(choosable)].filter(isReachable);
    const inside = modal === null ? found : found.filter((element) => modal.contains(element) || element.closest('[role=listbox], [role=menu]'));
    const element = inside[Math.floor(random() * inside.length)];
    if (element === undefined) { clicked.push('nothing'); comeBack(); }
    else {
      clicked.push((element.innerText || element.getAttribute('aria-label') || element.tagName).slice(0, 30).replace(/\\s+/g, ' '));
      element.focus?.();
      element.click();
    }
    await new Promise((done) => setTimeout(done, 10));
    if (location.pathname !== start) { comeBack(); await new Promise((done) => setTimeout(done, 60)); }
  }
  return clicked;
}`;

export function clickAround(page: Page, seed: number, count: number): Promise<string[]> {
  return page.evaluate(`(${clicker})(${JSON.stringify({ seed, count, left })})`);
}
