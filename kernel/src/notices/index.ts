export { type NoticePayloads, type Topic, topics } from '@tessera/proto/notices';
export { createNotices, type Notices, type NoticesOptions } from './notices.ts';
