/** Every table of identity. */
export * from './brandings.ts';
export * from './client-documents.ts';
export * from './connections.ts';
export * from './mail.ts';
export * from './mail-texts.ts';
export * from './openid.ts';
export * from './people.ts';
export * from './platform.ts';
export * from './project-apps.ts';
export * from './second-factors.ts';
export * from './service-accounts.ts';
export * from './sessions.ts';
export * from './set-up-links.ts';
export * from './support.ts';
