import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';

/**
 * What is typed into a field that narrows a list. It is sent after a pause, and follows the address
 * when something else changes that: a button that clears it, or the way back.
 */
export function useTyped(current: string, send: (typed: string) => void, pauseMs: number) {
  const [typed, setTyped] = useState(current);
  const [sent, setSent] = useState(current);
  const [before, setBefore] = useState(current);
  if (current !== before) {
    setBefore(current);
    if (current !== sent) {
      setSent(current);
      setTyped(current);
    }
  }
  const sendLater = useDebouncedCallback((value: string) => {
    setSent(value);
    send(value);
  }, pauseMs);
  const type = (value: string) => {
    setTyped(value);
    sendLater(value.trim());
  };
  return [typed, type] as const;
}
