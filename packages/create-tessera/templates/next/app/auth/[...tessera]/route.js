import { tessera } from '../../../lib/tessera.js';

export const { GET, POST } = tessera.handlers;
