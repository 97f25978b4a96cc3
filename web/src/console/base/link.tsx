import { Anchor, type AnchorProps, type ElementProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { Ref } from 'react';

type AnchorLinkProps = AnchorProps & ElementProps<'a', keyof AnchorProps> & { readonly ref?: Ref<HTMLAnchorElement> };

/** A link to another screen of the console, which loads nothing anew. */
export const NavigationLink = createLink(({ ref, ...props }: AnchorLinkProps) => (
  <Anchor {...(ref === undefined ? {} : { ref })} {...props} />
));
