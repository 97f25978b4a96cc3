/** The services of a stack in start order; the launcher, the tests and the checks use this list. */
export const databaseServices = ['keys', 'identity', 'tenancy', 'rbac'] as const;
export const services = [...databaseServices, 'gateway'] as const;

export type DatabaseService = (typeof databaseServices)[number];
export type Service = (typeof services)[number];

/** `IDENTITY` for identity: how the names of its variables begin. */
export function variablePrefix(service: Service) {
  return service.toUpperCase();
}
