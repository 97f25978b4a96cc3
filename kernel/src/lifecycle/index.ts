export { createInnerDoor, type DoorOptions, doorPath, type Readiness } from './door.ts';
export { listenOn } from './listen.ts';
export { type Running, runProcess } from './process.ts';
export { type Kernel, type ServiceParts, type ServiceSettings, startService } from './service.ts';
