/** What the answer asks a person, decided at the prompt: shown as `animus inbox` shows it, and bound to what was shown by its hash. */
import { isAnimusError } from '../../../core/errors/errors.ts';
import type { Database, Queryable } from '../../../store/sql/database.ts';
import { type AskedView, readAsked } from '../../../store/views/inbox-view.ts';
import { answerQuestion, approve, deny } from '../../../store/work/decide.ts';
import { enough, showDeadline, showRequest } from '../../work/show-asked.ts';
import type { Console } from '../terminal/console.ts';

export interface Asking {
  /** Looks what waits of this item, and shows the first that was not shown. */
  look(db: Queryable, workItemId: string): Promise<void>;
  /** Nothing is asked any more. */
  over(): void;
  /** Shows again what was put off. */
  again(): void;
  /** True while the next line that is typed is a decision. */
  readonly open: boolean;
  /** Takes the line as the decision. Errors: `work.state` if something else waits by now, `db.*`. */
  decide(db: Database, line: string): Promise<void>;
}

/** `decides` is whether the login may; others are told who has to. */
export function createAsking(console: Console, decides: () => boolean): Asking {
  let asked: AskedView | null = null;
  /** Hashes of what was put off, or shown to somebody who may not decide. */
  const left = new Set<string>();

  function show(next: AskedView): void {
    const { output } = console;
    output.line();
    showRequest(output, next);
    showDeadline(output, next);
    if (!decides()) {
      left.add(next.hash);
      console.hint('  an operator decides this: animus inbox');
      return;
    }
    asked = next;
    console.hint(`  ${howTo(next)}`);
    console.prompt(next.kind === 'human' ? 'answer> ' : 'y/n> ', 'yellow');
  }

  function drop(): void {
    if (asked === null) return;
    asked = null;
    console.prompt('> ');
  }

  return {
    get open() {
      return asked !== null;
    },
    async look(db, workItemId) {
      const waiting = await readAsked(db, workItemId).catch((error: unknown) => {
        // A login that only submits.
        if (isAnimusError(error, 'db.forbidden')) return [];
        throw error;
      });
      const decidable = waiting.filter(({ subject }) => subject !== 'skill');
      if (asked !== null && decidable.some(({ hash, call_id: call }) => hash === asked?.hash && call === asked.call_id))
        return;
      drop();
      const next = decidable.find(({ hash }) => !left.has(hash));
      if (next !== undefined) show(next);
    },
    over: drop,
    again: () => left.clear(),
    async decide(db, line) {
      const one = asked;
      if (one === null) return;
      const { work_item_id: id, call_id: callId, hash, kind } = one;
      const text = line.trim();
      if (text === '') {
        left.add(hash);
        drop();
        console.hint('it still waits; /asked shows it again');
        return;
      }
      if (kind === 'human') await answerQuestion(db, id, choiceOf(one, text), callId);
      else {
        const [, word = '', note] = /^(\S+)(?:\s+([\s\S]+))?$/.exec(text) ?? [];
        if (/^(full|f)$/i.test(word)) return showRequest(console.output, one, true);
        if (/^(y|yes)$/i.test(word)) await approve(db, id, { callId, hash, note, input: inputOf(one) });
        else if (/^(n|no)$/i.test(word)) await deny(db, id, { callId, hash, note });
        else return console.hint(howTo(one));
      }
      drop();
    },
  };
}

function howTo(asked: AskedView): string {
  if (asked.kind === 'human') return 'type the answer, or the number of a choice; an empty line puts it off';
  const yes = asked.subject === 'budget' ? `y adds ${enough(asked.request)}` : 'y runs it once';
  return `${yes}, n does not; a note may follow, as in: n not on a Friday; full shows all of it; an empty line puts it off`;
}

/** Raises a limit by what the next turn needs. */
function inputOf({ subject, request }: AskedView): string | undefined {
  return subject === 'budget' ? JSON.stringify({ add: enough(request) }) : undefined;
}

/** A number stands for the choice of that number. */
function choiceOf({ request }: AskedView, text: string): string {
  const choices = Array.isArray(request['choices']) ? request['choices'] : [];
  const chosen: unknown = /^\d+$/.test(text) ? choices[Number(text) - 1] : undefined;
  return typeof chosen === 'string' ? chosen : text;
}
