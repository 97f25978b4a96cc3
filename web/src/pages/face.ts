import { useQuery } from '@tanstack/react-query';
import { createContext, useContext, useEffect } from 'react';
import type { Face } from '../look/face.tsx';
import { interactionOf } from '../session/interaction-path.ts';
import { interactionQuery } from '../session/interactions.ts';
import { tessera } from '../session/tessera.ts';
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
 * The face of the app that a person is on the way to, or of the organization that invites them.
 * A sign-in under way brings it along. Undefined: the installation's own; null: not known yet.
 */
export function useFace(organization: string | undefined): Face | null | undefined {
  const { interaction, return_to: wanted, client_id: clientId } = usePageSearch();
  const id = interaction ?? interactionOf(wanted);
  const asked = useQuery({ ...interactionQuery(id ?? ''), enabled: id !== undefined });
  const isOfInteraction = id !== undefined && !asked.isError;
  const reference = clientId === undefined ? (organization === undefined ? undefined : { organization }) : { client_id: clientId };
  const found = useQuery({
    queryKey: ['branding', reference],
    queryFn: () => tessera.getPublicBranding(reference ?? {}),
    enabled: reference !== undefined && !isOfInteraction,
    retry: false,
  });
  if (isOfInteraction) return asked.data?.branding ?? null;
  if (reference === undefined) return undefined;
  return found.isPending ? null : found.data;
}
