/** Short messages about what was done or failed, read aloud by screen readers. They stay until they are dismissed, or for a while if all is well. */
import { signal } from '@preact/signals';
import { S } from '../words/strings.ts';

interface Notice {
  readonly id: number;
  readonly text: string;
  readonly isProblem: boolean;
}

const STAYS_MS = 6000;

const notices = signal<readonly Notice[]>([]);
let last = 0;

export function tell(text: string): void {
  const id = add(text, false);
  setTimeout(() => dismiss(id), STAYS_MS);
}

export function tellProblem(text: string): void {
  add(text, true);
}

function add(text: string, isProblem: boolean): number {
  const id = ++last;
  notices.value = [...notices.value, { id, text, isProblem }];
  return id;
}

function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}

export function Notices() {
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.value.map(({ id, text, isProblem }) => (
        <div key={id} class={isProblem ? 'notice problem' : 'notice'}>
          <span>{text}</span>
          <button type="button" class="quiet" aria-label={S.common.dismiss} onClick={() => dismiss(id)}>
            ×
          </button>
        </div>
      ))}
    </div>
  );
}
