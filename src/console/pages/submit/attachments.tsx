/** Files that go with work: chosen, or dropped here. */
import { useState } from 'preact/hooks';
import { bytes } from '../../ui/numbers.ts';
import { VisibleText } from '../../ui/visible-text.tsx';
import { S } from '../../words/strings.ts';

interface AttachmentsProps {
  readonly files: readonly File[];
  readonly onChange: (files: readonly File[]) => void;
}

const MOST_BYTES = 10 * 1024 * 1024;

export function Attachments({ files, onChange }: AttachmentsProps) {
  const [over, setOver] = useState(false);
  const add = (more: FileList | null) => onChange([...files, ...(more ?? [])]);
  return (
    <div
      class={over ? 'attachments over' : 'attachments'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        add(event.dataTransfer?.files ?? null);
      }}
    >
      <label>
        {S.submit.files}
        <input
          type="file"
          multiple
          onChange={(event) => {
            add(event.currentTarget.files);
            event.currentTarget.value = '';
          }}
        />
      </label>
      <ul class="plain rows">
        {files.map((file, index) => (
          <li key={`${index} ${file.name}`}>
            <span class="grow clip">
              <VisibleText text={file.name} most={200} />
            </span>
            <span class={file.size > MOST_BYTES ? 'field-problem' : 'faint'}>
              {bytes(file.size)} {file.size > MOST_BYTES && S.submit.tooLarge}
            </span>
            <button
              type="button"
              class="quiet"
              aria-label={S.submit.remove(file.name)}
              onClick={() => onChange(files.filter((one) => one !== file))}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
