export type Action = { readonly label: string; readonly run: () => void; readonly isDangerous?: boolean };

/** The actions that the person may take: those whose condition is true. */
export function allowed(...actions: readonly (readonly [isAllowed: boolean, action: Action])[]): Action[] {
  return actions.flatMap(([isAllowed, action]) => (isAllowed ? [action] : []));
}
