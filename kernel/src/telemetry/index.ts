export { type RequestContext, requestContext } from './context.ts';
