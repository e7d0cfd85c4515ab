/** The keys of the inbox, and a list of them. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { session } from '../../model/session-state.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { isTyping } from '../../ui/keys.ts';
import { S } from '../../words/strings.ts';

interface Acts {
  readonly step: (by: 1 | -1) => void;
  readonly approve: () => void;
  readonly deny: () => void;
  readonly edit: () => void;
  readonly choose: () => void;
}

export function useInboxKeys(acts: Acts): void {
  const latest = useRef(acts);
  latest.current = acts;
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && isTyping(event.target)) return (event.target as HTMLElement).blur();
      const act = actOf(event.key, latest.current);
      if (act === null || event.repeat || isElsewhere(event)) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
}

function actOf(key: string, acts: Acts): (() => void) | null {
  switch (key) {
    case 'j':
      return () => acts.step(1);
    case 'k':
      return () => acts.step(-1);
    case 'a':
      return acts.approve;
    case 'd':
      return acts.deny;
    case 'e':
      return acts.edit;
    case 'x':
      return acts.choose;
    default:
      return null;
  }
}

function isElsewhere(event: KeyboardEvent): boolean {
  const hasModifier = event.ctrlKey || event.metaKey || event.altKey;
  if (session.value.is !== 'open') return true;
  return hasModifier || isTyping(event.target) || document.querySelector('dialog[open]') !== null;
}

export function KeyList() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="quiet" onClick={() => setOpen(true)}>
        {S.inbox.keys}
      </button>
      {open && (
        <Dialog title={S.inbox.keys} onClose={() => setOpen(false)}>
          <dl class="inbox-keys">
            {Object.entries(S.inbox.keyMeans).map(([key, means]) => (
              <div key={key}>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{means}</dd>
              </div>
            ))}
          </dl>
        </Dialog>
      )}
    </>
  );
}
