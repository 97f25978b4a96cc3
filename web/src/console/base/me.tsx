import { createContext, useContext } from 'react';
import type { Me } from '../../session/tessera.ts';

const MeContext = createContext<Me | undefined>(undefined);
export const MeProvider = MeContext;

/** The person who is signed in: the shell shows no screen without one. */
export function useMe(): Me {
  const me = useContext(MeContext);
  if (me === undefined) throw new Error('Nobody is signed in');
  return me;
}
