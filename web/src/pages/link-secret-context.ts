import { createContext } from 'react';
import type { LinkSecret } from '../session/link-secret.ts';

/** The one-time secrets of the link that opened this page. */
export const LinkSecretContext = createContext<LinkSecret>({});
