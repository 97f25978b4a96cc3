import { parentPort, workerData } from 'node:worker_threads';
import { compose, type SubgraphSdl } from './federation.ts';

// Composition takes a good part of a second of CPU: in a worker it delays no request.
parentPort?.postMessage(compose(workerData as readonly SubgraphSdl[]));
