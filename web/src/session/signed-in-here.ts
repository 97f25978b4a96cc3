/**
 * Whether this tab has shown the console of a signed-in person, also before it was loaded anew: who
 * finds it signed out is told so, and who comes for the first time is not.
 */
import { tab } from './tab.ts';

const name = 'tessera-signed-in-here';

export function rememberSignedIn(): void {
  tab.keep(name, { isSo: true });
}

export function forgetSignedIn(): void {
  tab.forget(name);
}

export function wasSignedInHere(): boolean {
  return tab.read<{ isSo: boolean }>(name).isSo === true;
}
