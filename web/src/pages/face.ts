import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { createContext, useContext, useEffect } from 'react';
import type { Face } from '../look/face.tsx';
import { interactionOf } from '../session/interaction-path.ts';
import { interactionQuery } from '../session/interactions.ts';
import { tessera } from '../session/tessera.ts';
import { brandingOfPage } from './branding-of-page.ts';
import { usePageSearch } from './search.ts';

/** Tells the frame of the page which organization it is about. */
export const OrganizationOfPage = createContext<(id: string | undefined) => void>(() => undefined);

export function useFaceOf(organization: string | undefined): void {
  const tell = useContext(OrganizationOfPage);
  useEffect(() => {
    tell(organization);
    return () => tell(undefined);
  }, [organization, tell]);
}

/**
 * The face of the organization that invites, or of the app that a person is on the way to.
 * Undefined: the installation's own; null: not known yet.
 */
export function useFace(organization: string | undefined): Face | null | undefined {
  const { interaction, return_to: wanted, client_id: clientId } = usePageSearch();
  const { pathname } = useLocation();
  const id = interaction ?? interactionOf(wanted);
  const signIn = useQuery({ ...interactionQuery(id ?? ''), enabled: id !== undefined });
  const isOfInteraction = organization === undefined && id !== undefined && !signIn.isError;
  const reference = brandingOfPage({ pathname, clientId, organization });
  const branding = useQuery({
    queryKey: ['branding', reference],
    queryFn: () => tessera.getPublicBranding(reference ?? {}),
    enabled: reference !== undefined && !isOfInteraction,
    retry: false,
  });
  if (isOfInteraction) return signIn.data?.branding ?? null;
  if (reference === undefined) return undefined;
  return branding.isPending ? null : branding.data;
}
