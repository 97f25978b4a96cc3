/** A path from the repository's root, and the file's content. */
export type GeneratedFile = { path: string; content: string };
/** One generated reference or contract: `make` returns its files. */
export type Step = { name: string; make: (root: string) => Promise<readonly GeneratedFile[]> };
