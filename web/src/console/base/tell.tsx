import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react';
import { Icon } from './icon.tsx';

const shownMs = 5_000;
type Tell = (text: string, outcome?: 'done' | 'failed') => void;
const TellContext = createContext<Tell>(() => undefined);

/** Says at the edge of the page what was done; also to those who listen. */
export function TellProvider({ children }: { readonly children: ReactNode }) {
  const [told, setTold] = useState<{ readonly text: string; readonly outcome: 'done' | 'failed' }>();
  const tell: Tell = useCallback((text, outcome = 'done') => setTold({ text, outcome }), []);
  useEffect(() => {
    if (told === undefined) return;
    const timer = setTimeout(() => setTold(undefined), shownMs);
    return () => clearTimeout(timer);
  }, [told]);
  return (
    <TellContext value={tell}>
      {children}
      <output className="told" hidden={told === undefined}>
        <Icon name={told?.outcome === 'failed' ? 'cross' : 'check'} /> {told?.text}
      </output>
    </TellContext>
  );
}

export function useTell(): Tell {
  return useContext(TellContext);
}
