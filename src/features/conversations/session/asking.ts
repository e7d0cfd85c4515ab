/** What the answer asks a person, decided at the prompt: shown as `animus inbox` shows it, and bound to what was shown by its id and its hash. */
import { AnimusError, isAnimusError, messageOf, usageError } from '../../../core/errors/errors.ts';
import { approveAlways } from '../../../operations/always-allow.ts';
import { type AskedView, readAsked } from '../../../operations/asked.ts';
import { decidedBudget } from '../../../operations/decided-budget.ts';
import type { Database, Queryable } from '../../../store/sql/database.ts';
import { answerQuestion, approve, deny } from '../../../store/work/decide.ts';
import { jsonObject } from '../../../terminal/command/json-option.ts';
import { decidedText } from '../../../terminal/view/limits.ts';
import { duration } from '../../../terminal/view/quantities.ts';
import { enough, showDeadline, showRequest } from '../../../terminal/view/show-asked.ts';
import type { Console } from '../console/console.ts';
import { howToDecide, type TypedDecision, typedDecision } from './typed-decision.ts';

export interface Asking {
  /** Looks what waits of this item, and shows the first that was not shown. */
  look(db: Queryable, workItemId: string): Promise<void>;
  /** Nothing is asked any more. */
  over(): void;
  /** Shows again what was put off. */
  again(): void;
  /** What the next line that is typed decides; null: nothing. */
  readonly asked: AskedView | null;
  /**
   * Takes the line as the decision of what was asked when it was typed, and of nothing else. Errors: `work.state` if something else waits by now,
   * `usage.invalid` for an invalid input or pattern, `db.*`.
   */
  decide(db: Database, one: AskedView, line: string): Promise<void>;
  /** Denies what was asked, or declines to answer. Errors: `usage.invalid` if nothing was asked, and as `decide`. */
  deny(db: Database, one: AskedView | null, note: string): Promise<void>;
  /** Stops changing the input of the call; false if it was not being changed. */
  leaveInput(): boolean;
}

/** `decides` is whether the login may; others are told who has to. `usualPrompt` is called when nothing is open any more. */
export function createAsking(console: Console, decides: () => boolean, usualPrompt: () => void): Asking {
  let asked: AskedView | null = null;
  /** True while the line is a changed input of the call. */
  let changing = false;
  /** What was being typed when the request came. It is not a decision, and is restored afterwards. */
  let draft = '';
  /** The ids of what was put off, or shown to somebody who may not decide. */
  const left = new Set<string>();

  function show(next: AskedView): void {
    const { output } = console;
    output.line();
    showRequest(output, next);
    showDeadline(output, next);
    if (!decides()) {
      left.add(next.ask_id);
      console.hint('  an operator decides this: animus inbox');
      return;
    }
    asked = next;
    draft = console.takeLine();
    if (draft !== '') console.hint('  what you were typing is restored afterwards');
    console.hint(`  ${howToDecide(next)}`);
    prompt(next);
  }

  function prompt({ kind }: AskedView): void {
    console.prompt(changing ? 'input> ' : kind === 'human' ? 'answer> ' : 'y/n> ', 'yellow');
  }

  /** It was decided or put off here. Meanwhile another one may have been asked. */
  function done(one: AskedView): void {
    if (asked !== one) return;
    [asked, changing] = [null, false];
    usualPrompt();
    console.fill(draft);
    draft = '';
  }

  /** Nothing is asked any longer: what was typed as a decision is not a message. */
  function drop(): void {
    if (asked === null) return;
    console.takeLine();
    done(asked);
  }

  /** The line waited for another one to be done meanwhile. */
  function tooLate(): void {
    console.hint('what you decided is no longer asked; nothing was done');
  }

  async function run(db: Database, one: AskedView, decision: TypedDecision): Promise<void> {
    const { work_item_id: id, ask_id: ask, hash } = one;
    switch (decision.does) {
      case 'later':
        left.add(ask);
        console.hint('it is still waiting; /asked shows it again');
        break;
      case 'answer':
        await answerQuestion(db, id, decision.text, ask);
        break;
      case 'approve':
        await approve(db, id, { ask, hash, note: decision.note, input: inputOf(one) });
        await tellLimit(db, one, 'approved');
        break;
      case 'deny':
        await deny(db, id, { ask, hash, note: decision.note });
        await tellLimit(db, one, 'denied');
        break;
      case 'always': {
        const refusal = ['usage.invalid', 'the pattern'] as const;
        const { grant } = await db.transaction((tx) => approveAlways(tx, id, { ask, hash }, decision, refusal));
        const whose = decision.scope === 'item' ? 'of this answer' : `of ${one.faculty}`;
        const what = decision.pattern === undefined ? 'the same call' : `calls that match ${decision.pattern}`;
        const long = duration(decision.seconds * 1000);
        console.hint(`${what} ${whose}: no approval needed for ${long}; to revoke that: animus work revoke ${grant}`);
        break;
      }
      case 'full':
        return showRequest(console.output, one, true);
      case 'edit':
        return beginChange(one);
      case 'unclear':
        return console.hint(
          `${howToDecide(one)}. To say something else, put it off with an empty line first; Up brings back what you typed.`,
        );
    }
    done(one);
  }

  function beginChange(one: AskedView): void {
    const input = one.subject === 'budget' ? { add: enough(one.request) } : (one.request['input'] ?? {});
    changing = true;
    console.hint('change the input; Enter approves the call with it, an empty line goes back, Ctrl-G opens an editor');
    prompt(one);
    console.fill(JSON.stringify(input));
  }

  async function approveChanged(db: Database, one: AskedView, line: string): Promise<void> {
    if (line.trim() === '') {
      changing = false;
      return prompt(one);
    }
    const { work_item_id: id, ask_id: ask, hash } = one;
    try {
      await approve(db, id, { ask, hash, input: inputFrom(line) });
    } catch (error) {
      console.fill(line);
      throw error;
    }
    await tellLimit(db, one, 'approved');
    done(one);
  }

  async function tellLimit(db: Database, { subject, ask_id: ask }: AskedView, how: 'approved' | 'denied') {
    const budget = subject === 'budget' ? await decidedBudget(db, ask) : null;
    if (budget !== null) console.hint(decidedText(how, budget));
  }

  return {
    get asked() {
      return asked;
    },
    async look(db, workItemId) {
      const waiting = await readAsked(db, workItemId).catch((error: unknown) => {
        // A login that only submits.
        if (isAnimusError(error, 'db.forbidden')) return [];
        throw error;
      });
      const decidable = waiting.filter(({ subject }) => subject !== 'skill' && subject !== 'lost');
      if (asked !== null && decidable.some(({ ask_id: ask }) => ask === asked?.ask_id)) return;
      drop();
      const next = decidable.find(({ ask_id: ask }) => !left.has(ask));
      if (next !== undefined) show(next);
    },
    over: drop,
    again: () => left.clear(),
    async decide(db, one, line) {
      if (asked !== one) tooLate();
      else if (changing) await approveChanged(db, one, line);
      else await run(db, one, typedDecision(one, line));
    },
    async deny(db, one, note) {
      if (one === null) throw usageError('there is nothing to deny; /asked shows what was put off');
      if (asked !== one) tooLate();
      else await run(db, one, { does: 'deny', note: note === '' ? undefined : note });
    },
    leaveInput() {
      if (asked === null || !changing) return false;
      changing = false;
      prompt(asked);
      return true;
    },
  };
}

/** Raises a limit by what the next turn needs. */
function inputOf({ subject, request }: AskedView): string | undefined {
  return subject === 'budget' ? JSON.stringify({ add: enough(request) }) : undefined;
}

function inputFrom(line: string): string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw new AnimusError(
      'usage.invalid',
      { detail: `the input is not valid JSON: ${messageOf(error)}` },
      { cause: error },
    );
  }
  return JSON.stringify(jsonObject('the input', value));
}
