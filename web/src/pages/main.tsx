import { RouterProvider } from '@tanstack/react-router';
import { mount } from '../look/mount.tsx';
import { takeLinkSecret } from '../session/link-secret.ts';
import { LinkSecretContext } from './link-secret-context.ts';
import { router } from './router.tsx';

// Before the router reads the address, so that it never has the secret.
const secret = takeLinkSecret();

void mount(
  <LinkSecretContext value={secret}>
    <RouterProvider router={router} />
  </LinkSecretContext>,
);
