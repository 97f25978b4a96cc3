export { createInnerDoor, type DoorOptions, doorPath, type Readiness, serveProbes } from './door.ts';
export { listenOn } from './listen.ts';
export { type Running, runProcess } from './process.ts';
export { describeService, type Kernel, type ServiceParts, type ServiceSettings, startService } from './service.ts';
