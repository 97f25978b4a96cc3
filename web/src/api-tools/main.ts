/**
 * The bar above the API documentation and the GraphQL IDE: requests of the page carry the console's
 * session only after a press, and the bar says whose it is. English, as those pages are.
 */
import { createClient } from '@tessera/client';
import { readActing } from '../session/acting.ts';
import { type ConsoleSession, createConsoleSession, type End } from './console-session.ts';

declare global {
  /** What the scripts of the two pages send their requests by. */
  var consoleSession: Pick<ConsoleSession, 'fetch'> | undefined;
}

const ends: Readonly<Record<End, string>> = {
  stopped: 'Requests on this page carry no session.',
  'signed-out': 'Your console session has ended. Requests on this page carry no session.',
  'another-person': 'Another person has signed in. Requests on this page carry no session.',
};

function install(bar: HTMLElement): void {
  const text = bar.appendChild(document.createElement('p'));
  text.setAttribute('role', 'status');
  // The own session is not what this tab shows, and that of the access stays in the console.
  if (readActing() !== undefined) {
    text.textContent = 'This tab acts as somebody else, for support. Open this page in another tab to use your own session.';
    return;
  }
  const button = bar.appendChild(document.createElement('button'));
  button.type = 'button';
  const session = createConsoleSession({
    connect: () => createClient(),
    origin: window.location.origin,
    fetch: (url, init) => fetch(url, init),
    onEnd: show,
  });
  globalThis.consoleSession = session;
  let isPending = false;
  let isUsed = false;

  function show(end: End): void {
    isUsed = false;
    bar.classList.remove('used');
    text.textContent = ends[end];
    button.textContent = 'Use my console session';
  }

  function showUsed(name: string): void {
    isUsed = true;
    bar.classList.add('used');
    const person = document.createElement('strong');
    person.textContent = name;
    text.replaceChildren('Requests on this page act as ', person, ', unless you give a token of your own.');
    button.textContent = 'Stop using it';
  }

  async function begin(): Promise<void> {
    const name = await session.begin();
    if (name !== undefined) return showUsed(name);
    const { pathname, hash } = window.location;
    window.location.assign(`/auth/sign-in?${new URLSearchParams({ return_to: pathname + hash })}`);
  }

  button.addEventListener('click', () => {
    if (isPending) return;
    if (isUsed) return session.end();
    isPending = true;
    void begin()
      .catch((error: Error) => {
        text.textContent = `Your console session can't be used now: ${error.message}`;
      })
      .finally(() => {
        isPending = false;
      });
  });
  show('stopped');
}

const bar = document.getElementById('console-session');
if (bar !== null) install(bar);
