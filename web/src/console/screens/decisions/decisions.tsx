import { useState } from 'react';
import { Head } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import { Answer } from './answer.tsx';
import { Everything } from './everything.tsx';
import { type Answered, type Question, QuestionForm } from './question.tsx';
import { isChosen, keyOf, type Subject, useKinds, useNameOf } from './subject.tsx';
import { useSubjects } from './subjects.ts';
import { Who } from './who.tsx';

const nothing: Record<string, unknown> = {};

/** A question about one or two subjects, the answers and why; what they may do; who may do it. */
export function Screen() {
  const { t } = useTexts();
  const nameOf = useNameOf();
  const mayAskAboutOthers = useKinds().length > 0;
  const { subjects, choose: keepSubjects } = useSubjects();
  const [answers, setAnswers] = useState<Answered>([]);
  const [target, setTarget] = useState(nothing);
  const [who, setWho] = useState<Question>();
  const choose = (next: readonly Subject[]) => {
    keepSubjects(next);
    setAnswers([]);
  };
  const isComparing = subjects.length > 1;
  const whoMay = who && mayAskAboutOthers ? <Who question={who} choose={(subject) => choose([subject])} /> : null;
  return (
    <>
      <Head title={t('decisions')} text={t(mayAskAboutOthers ? 'decisionsAboutText' : 'decisionsText')} />
      <div className="panels">
        <section className={isComparing ? 'panel wide' : 'panel'}>
          <QuestionForm
            subjects={subjects}
            choose={choose}
            answered={(next, question) => {
              setAnswers(next);
              setTarget(question.target);
            }}
            wanted={(question) => {
              setWho(question);
              setTarget(question.target);
            }}
          />
        </section>
        {isComparing && whoMay ? <div className="wide">{whoMay}</div> : null}
        {subjects.map((subject, index) => {
          // An answer that arrives after another subject was chosen is not shown under its name.
          const decision = answers.find((answer) => keyOf(answer.subject) === keyOf(subject))?.decision;
          return (
            <div key={index === 0 ? 'first' : 'second'} className="panel-stack">
              <div role="status" className="answers">
                {decision ? <Answer who={nameOf(subject)} decision={decision} /> : null}
              </div>
              {isComparing ? null : whoMay}
              {isChosen(subject) ? <Everything subject={subject} resource={target} /> : null}
            </div>
          );
        })}
      </div>
    </>
  );
}
