import { Anchor, type AnchorProps, Button, type ButtonProps, type ElementProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { Ref } from 'react';

type AnchorLinkProps = AnchorProps & ElementProps<'a', keyof AnchorProps> & { readonly ref?: Ref<HTMLAnchorElement> };
type ButtonLinkProps = ButtonProps & ElementProps<'a', keyof ButtonProps> & { readonly ref?: Ref<HTMLAnchorElement> };

/** Links to other screens of the console, which load nothing anew. */
export const NavigationLink = createLink(({ ref, ...props }: AnchorLinkProps) => (
  <Anchor {...(ref === undefined ? {} : { ref })} {...props} />
));
export const ButtonLink = createLink(({ ref, ...props }: ButtonLinkProps) => (
  <Button component="a" {...(ref === undefined ? {} : { ref })} {...props} />
));
