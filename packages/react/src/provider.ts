import type { Input, TesseraClient } from '@tessera/client';
import {
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useState,
} from 'react';
import { Decisions, tellingOfWrites } from './decisions.ts';

export type TesseraProviderProps = {
  readonly client: TesseraClient;
  /** The organization that is chosen at first. */
  readonly organizationId?: string;
  /**
   * Your project, when organizations use it by a project grant: questions are asked where the
   * chosen organization uses it, and the switcher shows those that do.
   */
  readonly projectId?: string;
  readonly onOrganizationChange?: (id: string | undefined) => void;
  readonly children?: ReactNode;
};

/** The organization that one works in: the scope of questions that name none. */
export type OrganizationChoice = {
  readonly id: string | undefined;
  readonly choose: (id: string | undefined) => void;
  /** Where an organization is asked about: itself, or where it uses the project of the provider. */
  readonly scopeOf: (id: string) => Scope;
};
type Scope = NonNullable<Input<'isAuthorized'>['scope']>;

type Provided = { readonly client: TesseraClient; readonly decisions: Decisions; readonly organization: OrganizationChoice };

const Context = createContext<Provided | undefined>(undefined);

/** Gives the components below it one client, its session and its decisions. */
export function TesseraProvider(props: TesseraProviderProps): ReactElement {
  const { client: given, organizationId, projectId, onOrganizationChange, children } = props;
  const [id, setId] = useState(organizationId);
  const { client, decisions } = useMemo(() => {
    const ofClient = new Decisions(given);
    return { client: tellingOfWrites(given, ofClient.clear), decisions: ofClient };
  }, [given]);
  useEffect(() => followSession(given, decisions), [given, decisions]);
  const scopeOf = useCallback(
    (parent: string): Scope =>
      projectId === undefined ? { tenant: 'organization', id: parent } : { tenant: 'organizationProject', id: `${parent}:${projectId}` },
    [projectId],
  );
  const value = useMemo<Provided>(() => {
    const choose = (next: string | undefined) => {
      setId(next);
      onOrganizationChange?.(next);
    };
    return { client, decisions, organization: { id, choose, scopeOf } };
  }, [client, decisions, id, scopeOf, onOrganizationChange]);
  return createElement(Context.Provider, { value }, children);
}

/** Another person, or none: nothing that was answered holds any longer. */
function followSession({ session }: TesseraClient, decisions: Decisions): () => void {
  let before = session.state;
  let person = session.userId;
  return session.subscribe((state) => {
    if ((state !== before || session.userId !== person) && before !== 'unknown') decisions.clear();
    before = state;
    person = session.userId;
  });
}

export function useProvided(): Provided {
  const provided = useContext(Context);
  if (provided === undefined) throw new Error('This component belongs inside a TesseraProvider');
  return provided;
}

/** The client. What it writes makes `useAuthorized` ask anew. */
export function useTessera(): TesseraClient {
  return useProvided().client;
}

export function useOrganization(): OrganizationChoice {
  return useProvided().organization;
}
