/** The buttons that decide a request, with a note, another input, or «always». */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Approval } from '../../../client/client.ts';
import { S } from '../../words/strings.ts';
import { Problem } from '../problem.tsx';
import type { Always } from './always.ts';
import { AlwaysForm } from './always-form.tsx';
import { AnswerForm } from './answer-form.tsx';
import type { Decided, Decision } from './decide.ts';
import { EditForm } from './edit-form.tsx';
import { budgetOf, waysOf } from './request.ts';

/** What keys do with the request. */
export interface FormHandle {
  /** Approves, as the button does; for a question, goes to the answer. */
  approve(): void;
  /** Goes to the note of a denial: Enter sends it. */
  startDeny(): void;
  /** Goes to the input of the call, to change it. */
  startEdit(): void;
}

interface DecideFormProps {
  readonly ask: Approval;
  readonly decide: (decision: Decision) => Promise<Decided>;
  readonly handle: { current: FormHandle | null };
  /** The page has keys for it. */
  readonly hasKeys: boolean;
}

/** A request that has just appeared is not decided by a key or a click that was meant for the one before. */
const SETTLED_MS = 400;

type Open = 'nothing' | 'deny' | 'edit' | 'always';

export function DecideForm({ ask, decide, handle, hasKeys }: DecideFormProps) {
  const ways = waysOf(ask);
  const [open, setOpen] = useState<Open>('nothing');
  const [note, setNote] = useState('');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const since = useRef(performance.now());
  const answer = useRef<HTMLTextAreaElement>(null);
  const send = async (decision: Decision) => {
    if (busy || performance.now() - since.current <= SETTLED_MS) return;
    setBusy(true);
    setProblem(null);
    const { is, text } = await decide(decision);
    setBusy(false);
    if (is === 'failed') setProblem(text);
  };
  const approve = (more: { readonly input?: unknown; readonly always?: Always } = {}) =>
    void send({ is: 'approve', note, ...more });
  useEffect(() => {
    handle.current = {
      approve() {
        if (!ways.includes('approve')) answer.current?.focus();
        else approve();
      },
      startDeny: () => ways.includes('deny') && setOpen('deny'),
      startEdit: () => (ways.includes('edit') || budgetOf(ask) !== null) && setOpen('edit'),
    };
    return () => {
      handle.current = null;
    };
  });
  const toggle = (what: Open) => setOpen(open === what ? 'nothing' : what);
  return (
    <div class="ask-decide" aria-busy={busy}>
      {problem !== null && <Problem text={problem} />}
      {ways.includes('answer') && (
        <AnswerForm ask={ask} busy={busy} field={answer} answer={(text) => void send({ is: 'answer', text })} />
      )}
      <div class="ask-buttons">
        {ways.includes('approve') && (
          <button type="button" class="primary" disabled={busy} onClick={() => approve()}>
            {ask.subject === 'budget' ? S.ask.raise : S.ask.approve} {hasKeys && <kbd>a</kbd>}
          </button>
        )}
        {ways.includes('deny') && (
          <Toggle is={open === 'deny'} kind="danger" press={() => toggle('deny')}>
            {ask.subject === 'question' ? S.ask.decline : S.ask.deny} {hasKeys && <kbd>d</kbd>}
          </Toggle>
        )}
        {(ways.includes('edit') || ask.subject === 'budget') && (
          <Toggle is={open === 'edit'} press={() => toggle('edit')}>
            {ask.subject === 'budget' ? S.ask.otherAmount : S.ask.edit} {hasKeys && <kbd>e</kbd>}
          </Toggle>
        )}
        {ask.subject === 'tool_call' && (
          <Toggle is={open === 'always'} press={() => toggle('always')}>
            {S.ask.always}
          </Toggle>
        )}
        {ways.includes('approve') && open !== 'deny' && <Note note={note} set={setNote} label={S.ask.note} />}
      </div>
      {open === 'deny' && (
        <form
          class="ask-deny"
          onSubmit={(event) => {
            event.preventDefault();
            void send({ is: 'deny', note });
          }}
        >
          <Note note={note} set={setNote} label={S.ask.denyNote} isFirst />
          <button type="submit" class="danger" disabled={busy}>
            {ask.items > 1 ? S.ask.denyAll(ask.items) : S.ask.denyNow}
          </button>
        </form>
      )}
      {open === 'edit' && <EditForm ask={ask} busy={busy} approve={(input) => approve({ input })} />}
      {open === 'always' && <AlwaysForm ask={ask} busy={busy} approve={(always) => approve({ always })} />}
    </div>
  );
}

interface ToggleProps {
  readonly is: boolean;
  readonly kind?: 'danger';
  readonly press: () => void;
  readonly children: ComponentChildren;
}

function Toggle({ is, kind, press, children }: ToggleProps) {
  return (
    <button type="button" class={kind} aria-expanded={is} onClick={press}>
      {children}
    </button>
  );
}

interface NoteProps {
  readonly note: string;
  readonly set: (note: string) => void;
  readonly label: string;
  readonly isFirst?: boolean;
}

function Note({ note, set, label, isFirst = false }: NoteProps) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isFirst) field.current?.focus();
  }, []);
  return (
    <label class="ask-note">
      <span>{label}</span>
      <input ref={field} value={note} maxLength={10_000} onInput={(event) => set(event.currentTarget.value)} />
    </label>
  );
}
