import { Modal as MantineModal, type ModalProps } from '@mantine/core';
import { useEffect } from 'react';

const overlays = '[role="dialog"], [role="menu"], [role="listbox"]';
/** What had the focus last on the page itself, such as the button that opened a dialog. */
let onPage: HTMLElement | undefined;

/** Remembers it, for as long as the console is shown. */
export function useFocusMemory(): void {
  useEffect(() => {
    const remember = ({ target }: FocusEvent) => {
      if (target instanceof HTMLElement && target.closest(overlays) === null) onPage = target;
    };
    document.addEventListener('focusin', remember);
    return () => document.removeEventListener('focusin', remember);
  }, []);
}

/**
 * A dialog that is there as long as it is open. Mantine returns the focus when a dialog is closed
 * only, not when it goes: the keyboard would begin at the top of the page again.
 */
export function Modal(props: ModalProps) {
  useEffect(
    () => () => {
      const isLost = document.activeElement === null || document.activeElement === document.body;
      if (isLost && document.querySelector('[role="dialog"]') === null && onPage?.isConnected) onPage.focus();
    },
    [],
  );
  return <MantineModal {...props} />;
}
