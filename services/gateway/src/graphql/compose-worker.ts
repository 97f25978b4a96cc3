import { parentPort, workerData } from 'node:worker_threads';
import { compose, type SubgraphSdl } from './federation.ts';

// Composition takes a good part of a second of CPU: it runs here, so that no request waits for it.
parentPort?.postMessage(compose(workerData as readonly SubgraphSdl[]));
