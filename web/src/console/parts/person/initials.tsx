import type { ReactNode } from 'react';
import { initialsOf } from './initials-of.ts';

/** A person at a glance, beside the name, which says the same to screen readers. */
export function Initials({ name, isSmall = false }: { readonly name: string; readonly isSmall?: boolean }) {
  return (
    <span className={isSmall ? 'face small' : 'face'} aria-hidden="true">
      {initialsOf(name)}
    </span>
  );
}

type NamedProps = { readonly name: string | null; readonly children: ReactNode };

/** What a list says of a person, beside their initials; without a name there are none. */
export function Named({ name, children }: NamedProps) {
  return (
    <span className="named">
      <Initials name={name ?? ''} isSmall />
      <span>{children}</span>
    </span>
  );
}
