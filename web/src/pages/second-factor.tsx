import { useState } from 'react';
import { SecondFactorForm } from '../parts/second-factor.tsx';
import { type DueFactor, dueFactorOf } from '../session/due-factor.ts';
import { ErrorPage } from './error.tsx';
import { useReturn } from './search.ts';

/** Where a sign-in to an app asks for the second factor; the fragment says for which sign-in. */
export function SecondFactorPage() {
  const { go } = useReturn();
  const [due] = useState(takeFragment);
  if (due === undefined) return <ErrorPage reason="invalid_state" />;
  return <SecondFactorForm due={due} done={(redirectTo) => (redirectTo === undefined ? go() : window.location.assign(redirectTo))} />;
}

/** Takes it out of the address, so that it stays in no history. */
function takeFragment(): DueFactor | undefined {
  const due = dueFactorOf(window.location.hash.slice(1));
  if (due !== undefined) window.history.replaceState(window.history.state, '', window.location.pathname + window.location.search);
  return due;
}
