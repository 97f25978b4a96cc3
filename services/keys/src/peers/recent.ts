import { LRUCache } from 'lru-cache';

/** Answers of another service, none of them older than two seconds. */
export type Recent = {
  /** One question for all who ask the same within two seconds; a failure is asked again. */
  ask(question: string, answer: () => Promise<boolean>): Promise<boolean>;
  forget(question: string): void;
};

const keptMs = 2_000;
const answersKept = 20_000;

export function createRecent(): Recent {
  const answers = new LRUCache<string, Promise<boolean>>({ max: answersKept, ttl: keptMs, ttlResolution: 0 });
  return {
    ask(question, answer) {
      const known = answers.get(question);
      if (known !== undefined) return known;
      const asked = answer();
      answers.set(question, asked);
      asked.catch(() => {
        if (answers.peek(question) === asked) answers.delete(question);
      });
      return asked;
    },
    forget: (question) => void answers.delete(question),
  };
}
