import { fileURLToPath } from 'node:url';
import { readConfig, serviceConfig } from '@tessera/kernel/config';
import { migrate } from '@tessera/kernel/migrations';

const { DATABASE_URL, SECURITY_RLS_ROLE } = serviceConfig('IDENTITY');
const config = readConfig(process.env, { DATABASE_URL, SECURITY_RLS_ROLE });
const folder = fileURLToPath(new URL('../migrations', import.meta.url));
await migrate({ url: config.DATABASE_URL, schema: 'identity', folder, restrictedRole: config.SECURITY_RLS_ROLE });
