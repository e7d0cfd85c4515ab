/** Another input for the call, or another amount for the limit, with which it is approved. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Approval } from '../../../client/client.ts';
import { S } from '../../words/strings.ts';
import { exactJson, hasOdd } from '../visible-pieces.ts';
import { editedInput } from './edited-input.ts';
import { budgetOf, callOf } from './request.ts';

interface EditFormProps {
  readonly ask: Approval;
  readonly busy: boolean;
  readonly approve: (input: unknown) => void;
}

export function EditForm({ ask, busy, approve }: EditFormProps) {
  const budget = budgetOf(ask);
  if (ask.subject === 'budget') return <Amount step={budget?.step ?? 1} busy={busy} approve={approve} />;
  return <Input input={callOf(ask)?.input ?? {}} busy={busy} approve={approve} />;
}

interface InputProps extends Omit<EditFormProps, 'ask'> {
  readonly input: unknown;
}

function Input({ input, busy, approve }: InputProps) {
  const [text, setText] = useState(() =>
    hasOdd(JSON.stringify(input), 'code') ? exactJson(input, 2) : JSON.stringify(input, null, 2),
  );
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const edited = editedInput(text, input);
  const send = (event: Event) => {
    event.preventDefault();
    if (edited.is === 'changed') approve(edited.input);
  };
  return (
    <form class="ask-edit" onSubmit={send}>
      <label>
        <span>{S.ask.editLabel}</span>
        <textarea
          ref={field}
          class="mono"
          spellcheck={false}
          rows={Math.min(20, text.split('\n').length + 1)}
          value={text}
          aria-invalid={edited.is === 'invalid'}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => event.key === 'Enter' && (event.ctrlKey || event.metaKey) && send(event)}
        />
      </label>
      {hasOdd(text, 'code') && <p class="ask-warning">{S.ask.odd}</p>}
      {edited.is === 'invalid' && <p class="ask-warning">{edited.why}</p>}
      {edited.is === 'changed' && edited.added.length > 0 && (
        <p class="ask-warning">{S.ask.addedFields(edited.added.join(', '))}</p>
      )}
      <button type="submit" class="primary" disabled={busy || edited.is !== 'changed'}>
        {S.ask.approveEdited}
      </button>
    </form>
  );
}

function Amount({ step, busy, approve }: Omit<EditFormProps, 'ask'> & { readonly step: number }) {
  const [add, setAdd] = useState(String(step));
  const amount = Number(add);
  const isFine = add.trim() !== '' && Number.isFinite(amount) && amount > 0;
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <form
      class="ask-edit"
      onSubmit={(event) => {
        event.preventDefault();
        if (isFine) approve({ add: amount });
      }}
    >
      <label>
        <span>{S.ask.add}</span>
        <input ref={field} inputMode="decimal" value={add} onInput={(event) => setAdd(event.currentTarget.value)} />
      </label>
      <button type="submit" class="primary" disabled={busy || !isFine}>
        {S.ask.raise}
      </button>
    </form>
  );
}
