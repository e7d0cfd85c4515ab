/** Says something to an item: its model reads it before its next turn. */
import { useState } from 'preact/hooks';
import { api, sentenceOf } from '../../../model/api.ts';
import { tell, tellProblem } from '../../../ui/notices.tsx';
import { S } from '../../../words/strings.ts';

interface SayProps {
  readonly id: string;
  /** It waits: the message can wake it. */
  readonly waits: boolean;
  readonly after: () => void;
}

export function Say({ id, waits, after }: SayProps) {
  const [text, setText] = useState('');
  const [wake, setWake] = useState(false);
  const [busy, setBusy] = useState(false);
  const send = async () => {
    if (text.trim() === '' || busy) return;
    setBusy(true);
    try {
      await api.work.say(id, { text, wake });
      setText('');
      tell(S.item.isSaid);
    } catch (error) {
      tellProblem(sentenceOf(error));
    }
    setBusy(false);
    after();
  };
  return (
    <form
      class="say"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <label>
        {S.item.say}
        <textarea
          rows={3}
          dir="auto"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void send();
          }}
        />
      </label>
      <div class="say-buttons">
        {waits && (
          <label class="check">
            <input type="checkbox" checked={wake} onChange={(event) => setWake(event.currentTarget.checked)} />
            {S.item.wake}
          </label>
        )}
        <button type="submit" class="primary" disabled={busy || text.trim() === ''}>
          {S.item.send}
        </button>
      </div>
    </form>
  );
}
