import { openSharedStack } from './run.ts';

export default function setUp(): Promise<void> {
  return openSharedStack();
}
