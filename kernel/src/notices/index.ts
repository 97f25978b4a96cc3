export { createNotices, type Notices, type NoticesOptions } from './notices.ts';
export type { NoticePayloads, Topic } from './topics.ts';
