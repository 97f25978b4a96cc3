import { useState } from 'react';

/** Copies a text, and says so until another text stands there. */
export function useCopy(text: string): readonly [isCopied: boolean, copy: () => void] {
  const [copied, setCopied] = useState<string>();
  const copy = () => void write(text).then((isDone) => setCopied(isDone ? text : undefined));
  return [copied === text, copy];
}

/** A page over plain HTTP has no clipboard; the older command works there too. */
async function write(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    const focused = document.activeElement;
    document.body.append(area);
    area.select();
    const isDone = document.execCommand('copy');
    area.remove();
    if (focused instanceof HTMLElement) focused.focus();
    return isDone;
  }
}
