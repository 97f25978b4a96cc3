import { Anchor, type AnchorProps, type ElementProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { Ref } from 'react';

type Props = AnchorProps & ElementProps<'a', keyof AnchorProps> & { readonly ref?: Ref<HTMLAnchorElement> };

/** A link to another page of this entry, without loading it anew. */
export const PageLink = createLink(({ ref, ...props }: Props) => (
  <Anchor {...(ref === undefined ? {} : { ref })} underline="always" {...props} />
));
