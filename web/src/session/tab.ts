/**
 * What a tab keeps while it is open, also when it is loaded anew. A browser may refuse to keep
 * anything: then it lasts as long as the page.
 */
export const tab = {
  /** What was kept as JSON; empty when nothing was, or when it cannot be read. */
  read<Kept extends object>(name: string): Partial<Kept> {
    try {
      return JSON.parse(sessionStorage.getItem(name) ?? '{}') ?? {};
    } catch {
      return {};
    }
  },

  keep(name: string, value: object): void {
    try {
      sessionStorage.setItem(name, JSON.stringify(value));
    } catch {
      // Nothing is kept.
    }
  },

  forget(name: string): void {
    try {
      sessionStorage.removeItem(name);
    } catch {
      // Nothing was kept.
    }
  },
};
