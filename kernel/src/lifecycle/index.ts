export { type DoorOptions, doorPath, type Readiness } from './door.ts';
export { drainOnClose } from './drain.ts';
export { type Running, runProcess } from './process.ts';
export {
  createServiceLogger,
  type Kernel,
  type RunningService,
  type ServiceParts,
  type ServiceSettings,
  type Surroundings,
  startService,
} from './service.ts';
