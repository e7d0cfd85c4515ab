/** The answer to a question: one that the model suggests, or own words. Of what was lost: that somebody has seen it. */
import type { RefObject } from 'preact';
import { useState } from 'preact/hooks';
import type { Approval } from '../../../client/client.ts';
import { S } from '../../words/strings.ts';
import { VisibleText } from '../visible-text.tsx';
import { choicesOf } from './request.ts';

interface AnswerFormProps {
  readonly ask: Approval;
  readonly busy: boolean;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly answer: (text: string) => void;
}

export function AnswerForm({ ask, busy, field, answer }: AnswerFormProps) {
  const isLoss = ask.subject === 'lost';
  const [text, setText] = useState(isLoss ? S.ask.seenText : '');
  const send = (event: Event) => {
    event.preventDefault();
    if (text.trim() !== '') answer(text);
  };
  return (
    <form class="ask-answer" onSubmit={send}>
      {choicesOf(ask).length > 0 && (
        <div class="ask-choices" role="group" aria-label={S.ask.choices}>
          {choicesOf(ask).map((choice, at) => (
            <button key={at} type="button" disabled={busy} onClick={() => answer(choice)}>
              <VisibleText text={choice} kind="text" most={300} />
            </button>
          ))}
        </div>
      )}
      <label>
        <span>{isLoss ? S.ask.note : S.ask.answer}</span>
        <textarea
          ref={field}
          rows={2}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => event.key === 'Enter' && (event.ctrlKey || event.metaKey) && send(event)}
        />
      </label>
      <button type="submit" class="primary" disabled={busy || text.trim() === ''}>
        {isLoss ? S.ask.acknowledge : S.ask.sendAnswer}
      </button>
    </form>
  );
}
