export { type DoorOptions, doorPath, type Readiness } from './door.ts';
export { drainOnClose } from './drain.ts';
export { type Kernel, tryAtStart } from './kernel.ts';
export type { ServiceSettings } from './peers.ts';
export { type Running, runProcess } from './process.ts';
export {
  createServiceLogger,
  type RunningService,
  type ServiceParts,
  type Surroundings,
  startService,
} from './service.ts';
