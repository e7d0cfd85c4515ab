/** What a model thought, folded. */
import { useState } from 'preact/hooks';
import { Text } from '../../../ui/text.tsx';
import { S } from '../../../words/strings.ts';

export function Thought({ text }: { readonly text: string }) {
  const [open, setOpen] = useState(false);
  return (
    <div class="thought">
      <button type="button" class="call-head faint" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span aria-hidden="true">{open ? '▾' : '▸'}</span>
        {S.item.thought}
        {!open && (
          <span class="clip grow">
            <bdi>{text.slice(0, 120)}</bdi>
          </span>
        )}
      </button>
      {open && <Text text={text} />}
    </div>
  );
}
