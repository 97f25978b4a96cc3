export { createNotices, type Notices, type NoticesOptions } from './notices.ts';
export { type NoticePayloads, type Topic, topics } from './topics.ts';
