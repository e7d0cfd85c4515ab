/** Approves the call and allows calls like it from now on: which, for what work, and until when is shown as the rule that it makes. */
import { useState } from 'preact/hooks';
import type { Approval } from '../../../client/client.ts';
import { S } from '../../words/strings.ts';
import { VisibleText } from '../visible-text.tsx';
import { type Always, patternsOf, ruleOf, SPANS_S } from './always.ts';

interface AlwaysFormProps {
  readonly ask: Approval;
  readonly busy: boolean;
  readonly approve: (always: Always) => void;
}

export function AlwaysForm({ ask, busy, approve }: AlwaysFormProps) {
  const [scope, setScope] = useState<'item' | 'faculty'>('item');
  const [seconds, setSeconds] = useState(SPANS_S[0]!);
  const [pattern, setPattern] = useState('');
  const rule = ruleOf(ask, pattern);
  const ends = new Date(Date.now() + seconds * 1000).toLocaleString(undefined, {
    dateStyle: 'medium',
    timeStyle: 'short',
  });
  return (
    <form
      class="ask-always"
      onSubmit={(event) => {
        event.preventDefault();
        approve({ scope, seconds, pattern: pattern === '' ? undefined : pattern });
      }}
    >
      <fieldset>
        <legend>{S.ask.which}</legend>
        <label>
          <input type="radio" name="which" checked={pattern === ''} onChange={() => setPattern('')} />
          {S.ask.thisInput}
        </label>
        {patternsOf(ask).map((each) => (
          <label key={each}>
            <input type="radio" name="which" checked={pattern === each} onChange={() => setPattern(each)} />
            <VisibleText text={ruleOf(ask, each) ?? ''} most={300} />
          </label>
        ))}
        <label>
          <span>{S.ask.ownPattern}</span>
          <input
            class="mono"
            value={pattern}
            maxLength={1000}
            spellcheck={false}
            onInput={(event) => setPattern(event.currentTarget.value)}
          />
        </label>
      </fieldset>
      <fieldset>
        <legend>{S.ask.scope}</legend>
        <label>
          <input type="radio" name="scope" checked={scope === 'item'} onChange={() => setScope('item')} />
          {S.ask.scopeItem}
        </label>
        <label>
          <input type="radio" name="scope" checked={scope === 'faculty'} onChange={() => setScope('faculty')} />
          {S.ask.scopeFaculty(ask.faculty)}
        </label>
      </fieldset>
      <label class="ask-span">
        <span>{S.ask.until}</span>
        <select value={seconds} onChange={(event) => setSeconds(Number(event.currentTarget.value))}>
          {SPANS_S.map((span) => (
            <option key={span} value={span}>
              {S.ask.span(span)}
            </option>
          ))}
        </select>
      </label>
      <p class="ask-rule">
        {rule === null ? S.ask.ruleExact : <VisibleText text={`"${rule}" = "auto"`} most={1200} />}
        {', '}
        {scope === 'item' ? S.ask.scopeItem : S.ask.scopeFaculty(ask.faculty)}, {S.ask.ends(ends)}
      </p>
      <p class="faint">{S.ask.alwaysHint}</p>
      <button type="submit" class="primary" disabled={busy}>
        {S.ask.approveAlways}
      </button>
    </form>
  );
}
