/**
 * The child process that reads XML of strangers. It holds no secret and no connection; what it
 * does wrong ends with it.
 */
import { SamlRefusal } from './document.ts';
import { readMetadata } from './read-metadata.ts';
import { readResponse } from './read-response.ts';
import type { SamlJob, SamlOutcome } from './saml-reader.ts';

process.on('message', ({ id, work }: { readonly id: number; readonly work: SamlJob }) => {
  void run(work).then((outcome) => process.send?.({ id, outcome }));
});
process.send?.({ isReady: true });
// Its service has ended.
process.on('disconnect', () => process.exit(0));

async function run(work: SamlJob): Promise<SamlOutcome> {
  try {
    if (work.kind === 'metadata') return { kind: 'metadata', metadata: readMetadata(work.xml) };
    return { kind: 'response', answer: await readResponse(work.response, work.settings) };
  } catch (error) {
    // An error of a library may quote what came from outside.
    return { kind: 'refused', reason: error instanceof SamlRefusal ? error.message : 'the message is not readable' };
  }
}
