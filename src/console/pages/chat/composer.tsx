/** Where a message is written: Enter sends it, Shift-Enter makes a line. Files come by the button, by drop and by paste. What is written survives a reload. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { sentenceOf } from '../../model/api.ts';
import { whoseMe } from '../../model/session-state.ts';
import { Problem } from '../../ui/problem.tsx';
import { TextArea } from '../../ui/text-area.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { S } from '../../words/strings.ts';
import { addFiles, type FileToSend, size } from './attachments.ts';
import { draftKey } from './draft-key.ts';

interface ComposerProps {
  /** Names what is written here, to keep it. */
  readonly draft: string;
  /** Rejects with what went wrong; what was written stays then. */
  readonly send: (text: string, files: readonly FileToSend[]) => Promise<void>;
  readonly label: string;
  /** What is said beside the button. */
  readonly hint?: string;
}

export function Composer({ draft, send, label, hint }: ComposerProps) {
  const key = draftKey(whoseMe()?.actor ?? '', draft);
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? '');
  const [files, setFiles] = useState<readonly FileToSend[]>([]);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const write = (now: string) => {
    setText(now);
    sessionStorage.setItem(key, now);
  };
  const add = (added: readonly File[]) => {
    if (added.length === 0) return;
    const next = addFiles(
      files,
      added.map((file) => ({ name: file.name, content: file })),
    );
    setFiles(next.files);
    setProblem(next.refused.length === 0 ? null : next.refused.join(' '));
  };
  useDrop(add);
  const submit = async () => {
    if (busy || text.trim() === '') return;
    setBusy(true);
    setProblem(null);
    try {
      await send(text, files);
      write('');
      setFiles([]);
    } catch (error) {
      setProblem(sentenceOf(error));
    }
    setBusy(false);
  };
  return (
    <form
      class="chat-composer"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
      onPaste={(event) => add([...(event.clipboardData?.files ?? [])])}
    >
      {problem !== null && <Problem text={problem} />}
      {files.length > 0 && (
        <ul class="plain chat-files">
          {files.map(({ name, content }) => (
            <li key={name}>
              <VisibleText text={name} most={80} /> <span class="faint">{size(content.size)}</span>
              <button
                type="button"
                class="quiet"
                aria-label={S.chat.removeFile(name)}
                onClick={() => setFiles(files.filter((file) => file.name !== name))}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
      <TextArea text={text} onText={write} send={() => void submit()} label={label} />
      <div class="chat-composer-foot">
        <input
          ref={input}
          type="file"
          multiple
          hidden
          onChange={(event) => add([...(event.currentTarget.files ?? [])])}
        />
        <button type="button" class="quiet" onClick={() => input.current?.click()}>
          {S.chat.attach}
        </button>
        <span class="faint">{hint ?? S.chat.sendHint}</span>
        <button type="submit" class="primary" disabled={busy || text.trim() === ''} aria-busy={busy}>
          {S.chat.send}
        </button>
      </div>
    </form>
  );
}

/** Files may be dropped anywhere on the page. */
function useDrop(add: (files: readonly File[]) => void): void {
  const latest = useRef(add);
  latest.current = add;
  useEffect(() => {
    const over = (event: DragEvent) => event.dataTransfer?.types.includes('Files') && event.preventDefault();
    const drop = (event: DragEvent) => {
      if ((event.dataTransfer?.files.length ?? 0) === 0) return;
      event.preventDefault();
      latest.current([...(event.dataTransfer?.files ?? [])]);
    };
    addEventListener('dragover', over);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', over);
      removeEventListener('drop', drop);
    };
  }, []);
}
