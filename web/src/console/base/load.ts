import { TesseraError } from '@tessera/client';

export async function isServerThere(): Promise<boolean> {
  return fetch('/health', { cache: 'no-store' }).then(
    () => true,
    () => false,
  );
}

/**
 * The code of a screen. Without a network the console says so and stays: the router would load the
 * whole page anew, as for a file that a new version has replaced.
 */
export function loadOf<Code>(load: () => Promise<Code>): () => Promise<Code> {
  return async () => {
    try {
      return await load();
    } catch (cause) {
      if (await isServerThere()) throw cause;
      throw new TesseraError('', { status: 0, code: 'NETWORK_ERROR' });
    }
  };
}
