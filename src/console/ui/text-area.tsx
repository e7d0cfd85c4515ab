/** A field for text that grows with it. Enter sends, Shift-Enter makes a line; where there is no keyboard, Enter makes a line. */
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import './text-area.css';

interface TextAreaProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly send: () => void;
  readonly label: string;
  readonly field?: RefObject<HTMLTextAreaElement | null>;
  readonly onEscape?: () => void;
}

const TOUCH = '(pointer: coarse)';

export function TextArea({ text, onText, send, label, field, onEscape }: TextAreaProps) {
  const own = useRef<HTMLTextAreaElement>(null);
  const area = field ?? own;
  useLayoutEffect(() => {
    const it = area.current;
    if (it === null) return;
    it.style.height = 'auto';
    it.style.height = `${it.scrollHeight + it.offsetHeight - it.clientHeight}px`;
  }, [text]);
  const pressed = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && onEscape !== undefined) onEscape();
    // A key that ends the choice of a character is none for us.
    if (event.key !== 'Enter' || event.isComposing) return;
    const hasModifier = event.ctrlKey || event.metaKey;
    if (!hasModifier && (event.shiftKey || event.altKey || matchMedia(TOUCH).matches)) return;
    event.preventDefault();
    send();
  };
  return (
    <textarea
      ref={area}
      class="text-area"
      rows={1}
      dir="auto"
      aria-label={label}
      placeholder={label}
      value={text}
      onInput={(event) => onText(event.currentTarget.value)}
      onKeyDown={pressed}
    />
  );
}
