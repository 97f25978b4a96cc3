export const standardScopes = ['openid', 'profile', 'email', 'offline_access'] as const;
