/** Those in which mails are written. */
export const languages = ['en', 'de'] as const;
