/** Shows what waits for a person: made from what is recorded, never from the model's words about it. */
import { visibleLines } from '../../core/text/harmless.ts';
import type { Asked } from '../../operations/asked.ts';
import { shellWord } from './copied-command.ts';
import { displayWidth } from './display-width.ts';
import { type Output, styled } from './output.ts';
import { age, counted, grouped, shortId } from './quantities.ts';

/** How many characters of an input are shown, unless all of it is asked for. */
const SHOWN_CHARS = 2000;

/** The request, field by field, and the commands that decide it. */
export function showAsked(output: Output, asked: Asked, full = false): void {
  showRequest(output, asked, full);
  showDeadline(output, asked);
  for (const command of commandsOf(asked)) output.command('  ', command);
}

/** The request, field by field. */
export function showRequest(output: Output, asked: Asked, full = false): void {
  const now = Date.now();
  const { work_item_id: id, turn, call_id: call, request } = asked;
  output.line(
    styled(nameOf(id), 'bold'),
    `  ${asked.faculty}  `,
    styled(titleOf(asked), 'yellow'),
    styled(`  asked ${age(asked.asked_at, now)}`, 'dim'),
  );
  const field = (name: string, text: string) => output.line('  ', styled(name.padEnd(9), 'dim'), text);
  field('request', shortId(asked.ask_id));
  if (call !== null) field('call', `${call}, turn ${turn ?? '?'}`);
  if (asked.items > 1) output.block(`items    ${behind(asked, full)}`, '  ');
  if (asked.subject === 'tool_call') field('why', `${String(request['reason'])} (${String(request['gate'])})`);
  if (request['four_eyes'] === true) field('who', 'somebody who has neither submitted the work nor written to it');
  showContent(output, contentOf(asked), id, full);
}

/** A skill may outlive the work that has proposed it. */
function nameOf(id: string | null): string {
  return id === null ? '(no work item)' : shortId(id);
}

/** How many of the items are named that wait for one limit, unless all are asked for. */
const NAMED = 5;

/** How much work a denial of a limit ends at once: `animus.items_behind`. */
export const AT_ONCE = 1000;

/** The work that waits for the same limit. */
function behind({ items, work_items: ids }: Asked, full: boolean): string {
  const named = full ? ids : ids.slice(0, NAMED);
  const more = items > named.length ? ` and ${grouped(items - named.length)} more` : '';
  const about = items > AT_ONCE ? `all of them; a denial ends ${grouped(AT_ONCE)} at once` : 'all of them';
  const all = `${counted(items, 'work item')} wait for this limit, and a decision is about ${about}`;
  return ids.length === 1 ? all : `${all}: ${named.map(nameOf).join(', ')}${more}`;
}

/** How long a decision may take, and what happens then. */
export function showDeadline(output: Output, asked: Asked): void {
  if (asked.deadline !== null) output.block(`until    ${untilText(asked, asked.deadline)}`, '  ');
}

/** What happens at the deadline if nobody has decided. */
function untilText({ kind, subject, request }: Asked, deadline: Date): string {
  const otherwise = kind === 'human' ? 'the work goes on without an answer' : 'it is denied';
  // A turn that does not fit into the whole limit does not fit into that of the next day either.
  const fitsLater = request['period'] !== 'none' && Number(request['needed']) <= Number(request['base']);
  const unpaid = fitsLater ? 'the work goes on by itself' : 'the work dies';
  return `${age(deadline, Date.now())}, then ${subject === 'budget' ? unpaid : otherwise} (${deadline.toISOString()})`;
}

/** The commands of animus that decide it, with the short id. */
export function commandsOf({
  work_item_id: id,
  ask_id: ask,
  kind,
  subject,
  request,
}: Pick<Asked, 'work_item_id' | 'ask_id' | 'kind' | 'subject' | 'request'>): string[] {
  if (subject === 'skill') return skillCommands(request);
  const name = `${nameOf(id)} --ask ${shortId(ask)}`;
  if (subject === 'lost') return [`work answer ${name} 'seen'`];
  if (kind === 'human') return [`work answer ${name} 'YOUR ANSWER'`];
  const input = subject === 'budget' ? ` --input '{"add": ${enough(request)}}'` : '';
  return [`work approve ${name}${input}`, `work deny ${name} --note 'WHY'`];
}

/** No work waits for it, and its work item may be gone: it is decided by its own name. */
function skillCommands({ skill }: Asked['request']): string[] {
  const name = shellWord(String(skill));
  return ['diff', 'approve', 'deny'].map((what) => `skill ${what} ${name}${what === 'deny' ? " --note 'WHY'" : ''}`);
}

/** By how much a limit has to be raised for the next turn: the configured amount, as often as that takes. */
export function enough({ amount, base, used, needed }: Asked['request']): number {
  const short = Number(used) + Number(needed) - Number(amount);
  const step = Number(base);
  const add = step > 0 ? step * Math.max(1, Math.ceil(short / step)) : Math.max(short, 0.01);
  // Without the noise of binary fractions: 0.1 three times is 0.3.
  return Number(add.toPrecision(15));
}

/** In one line: what is asked. */
export function titleOf({ kind, subject, request }: Pick<Asked, 'kind' | 'subject' | 'request'>): string {
  if (subject === 'lost') return 'lost something that its agent made';
  if (kind === 'human') return 'asks a question';
  if (subject === 'budget') return 'needs more budget';
  if (subject === 'provider') return `asks whether to go on with ${presentOf(request)}`;
  if (subject === 'skill')
    return `${request['base'] === null ? 'proposes the skill' : 'proposes another version of'} ${String(request['skill'])}`;
  return subject === 'tool_call' ? `wants to run ${String(request['tool'])}` : `asks for approval: ${subject}`;
}

/** The model that the faculty has now. */
function presentOf({ present }: Asked['request']): string {
  return String((present as { readonly model?: unknown } | undefined)?.model);
}

/** Every line of it begins with a bar, so that no line of it can look like one of ours. */
function showContent(output: Output, lines: readonly string[], id: string | null, full: boolean): void {
  const width = Math.max(10, output.width - BAR.length);
  const whole = lines.join('\n');
  const shown = full ? whole : whole.slice(0, SHOWN_CHARS).toWellFormed();
  for (const line of visibleLines(shown).flatMap((each) => pieces(each, width))) output.line(styled(BAR, 'cyan'), line);
  if (shown.length < whole.length) {
    const left = grouped(whole.length - shown.length);
    const name = id === null ? '' : ` ${shortId(id)}`;
    output.command(`  ${left} more characters; see all of it: `, `inbox${name} --full`);
  }
}

const BAR = '    │ ';

/** What is to be decided, in lines: the input of the call, the question, or the request. */
function contentOf({ subject, request }: Asked): string[] {
  if (subject === 'question') {
    const choices = Array.isArray(request['choices']) ? request['choices'] : [];
    return [String(request['question']), ...choices.map((choice, index) => `${index + 1}. ${String(choice)}`)];
  }
  if (subject === 'budget' || subject === 'provider') return [String(request['reason'])];
  if (subject === 'lost') return [String(request['lost'])];
  const content = subject === 'tool_call' ? request['input'] : request;
  return Object.entries(content ?? {}).map(([key, value]) =>
    typeof value === 'string' ? `${key}: ${value}` : `${key}: ${JSON.stringify(value)}`,
  );
}

/** Cut at the width, and nothing left out: `wrap` removes spaces. */
function pieces(line: string, width: number): string[] {
  if (displayWidth(line) <= width) return [line];
  const found: string[] = [];
  let current = '';
  let used = 0;
  for (const character of line) {
    const wide = displayWidth(character);
    if (used + wide > width) {
      found.push(current);
      [current, used] = ['', 0];
    }
    current += character;
    used += wide;
  }
  return [...found, current];
}
