import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react';
import { Icon } from './icon.tsx';

const shownMs = 5_000;
const TellContext = createContext<(text: string) => void>(() => undefined);

/** Says at the edge of the page what was done; also to those who listen. */
export function TellProvider({ children }: { readonly children: ReactNode }) {
  const [told, setTold] = useState<{ readonly text: string }>();
  const tell = useCallback((text: string) => setTold({ text }), []);
  useEffect(() => {
    if (told === undefined) return;
    const timer = setTimeout(() => setTold(undefined), shownMs);
    return () => clearTimeout(timer);
  }, [told]);
  return (
    <TellContext value={tell}>
      {children}
      <output className="told" hidden={told === undefined}>
        <Icon name="check" /> {told?.text}
      </output>
    </TellContext>
  );
}

export function useTell(): (text: string) => void {
  return useContext(TellContext);
}
