/** One memory: where it belongs, who wrote it, and what may be done about it. */
import { useState } from 'preact/hooks';
import type { Memory } from '../../../../client/client.ts';
import { api } from '../../../model/api.ts';
import { hrefTo } from '../../../model/place.ts';
import { mayChangeOf, mayOperate } from '../../../model/session-state.ts';
import { Confirm } from '../../../ui/confirm.tsx';
import { Text } from '../../../ui/text.tsx';
import { Time } from '../../../ui/time.tsx';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { S } from '../../../words/strings.ts';

interface MemoryProps {
  readonly memory: Memory;
  readonly reload: () => void;
}

const FIRST_CHARS = 600;

export function MemoryRow({ memory, reload }: MemoryProps) {
  const [opened, setOpened] = useState<'correct' | 'forget' | null>(null);
  const { layer, project, kind, tags, submitted_by, updated_at, source_item, found_by } = memory;
  const close = () => {
    setOpened(null);
    reload();
  };
  return (
    <article class="agents-memory">
      <Text text={memory.content} first={FIRST_CHARS} />
      <div class="section-head">
        <p class="faint grow">
          {S.agents.memories.layers[layer]}
          {project !== null && (
            <>
              {' '}
              <VisibleText text={project} kind="text" most={100} />
            </>
          )}
          {' · '}
          <VisibleText text={[kind, ...tags].join(', ')} kind="text" most={200} />
          {' · '}
          {submitted_by === null ? (
            S.agents.memories.everybody
          ) : (
            <VisibleText text={submitted_by} kind="text" most={100} />
          )}
          {' · '}
          <Time at={updated_at} />
          {found_by !== null && ` · ${S.agents.memories.foundBy[found_by]}`}
          {source_item !== null && (
            <>
              {' · '}
              <a href={hrefTo('work', [source_item])}>{S.agents.memories.source}</a>
            </>
          )}
        </p>
        {mayChangeOf(submitted_by) && (
          <>
            <button type="button" class="quiet" onClick={() => setOpened('correct')}>
              {S.agents.memories.correct} …
            </button>
            <button type="button" class="quiet" onClick={() => setOpened('forget')}>
              {S.agents.memories.forget} …
            </button>
          </>
        )}
      </div>
      {opened === 'correct' && <Correct memory={memory} onClose={close} />}
      {opened === 'forget' && <Forget memory={memory} onClose={close} />}
    </article>
  );
}

interface DialogProps {
  readonly memory: Memory;
  readonly onClose: () => void;
}

function Correct({ memory, onClose }: DialogProps) {
  const [content, setContent] = useState(memory.content);
  const act = async () => {
    const { merged } = await api.memory.update(memory.id, { content });
    return merged.length === 0 ? S.agents.memories.corrected : S.agents.memories.correctedMerged;
  };
  return (
    <Confirm title={S.agents.memories.correctTitle} act={act} label={S.agents.memories.correct} onClose={onClose}>
      <label>
        {S.agents.memories.content}
        <textarea dir="auto" value={content} required onInput={(event) => setContent(event.currentTarget.value)} />
      </label>
    </Confirm>
  );
}

const TITLE_CHARS = 300;

function Forget({ memory, onClose }: DialogProps) {
  const [reason, setReason] = useState('');
  const [redact, setRedact] = useState(false);
  const act = async () => {
    const { redacted } = await api.memory.forget(memory.id, { reason, ...(redact && { redact: 'true' }) });
    return redacted === null
      ? S.agents.memories.forgotten
      : S.agents.memories.redacted(redacted.records, redacted.items, redacted.still_open.length);
  };
  return (
    <Confirm
      title={S.agents.memories.forgetTitle}
      act={act}
      label={S.agents.memories.forget}
      kind="danger"
      onClose={onClose}
    >
      <p>
        <VisibleText text={memory.content} kind="text" most={TITLE_CHARS} />
      </p>
      <p class="faint">{S.agents.memories.forgetHint}</p>
      <label>
        {S.agents.memories.reason}
        <input value={reason} required maxLength={1000} onInput={(event) => setReason(event.currentTarget.value)} />
      </label>
      {mayOperate() && (
        <label class="check">
          <input type="checkbox" checked={redact} onChange={(event) => setRedact(event.currentTarget.checked)} />
          {S.agents.memories.redact}
        </label>
      )}
    </Confirm>
  );
}
