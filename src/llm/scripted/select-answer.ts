import type { ContentBlock, LlmRequest, Message } from '../client.ts';
import type { Script, ScriptedAnswer } from './script.ts';

/** The number of the call within its focus, from 1: given by the engine, else counted from the answers in the history. */
export function turnOf(request: LlmRequest): number {
  return request.turn ?? 1 + request.messages.filter((message) => message.role === 'assistant').length;
}

/**
 * Selects the answer to a request. The same request always gets the same answer, in any process. First come answers with
 * `when` or `turn`, in the order of the file, whose conditions are all true. Then come the others by number: the third of
 * them answers turn 3.
 */
export function selectAnswer(script: Script, request: LlmRequest): ScriptedAnswer | null {
  const turn = turnOf(request);
  const answers = script.answers.filter((answer) => answer.model === undefined || answer.model === request.model);
  const conditional = answers.filter((answer) => answer.when || answer.turn !== undefined);
  const counted = answers.filter((answer) => !conditional.includes(answer));
  return conditional.find((answer) => holds(answer, request, turn)) ?? counted[turn - 1] ?? null;
}

function holds({ when, turn: wanted }: ScriptedAnswer, request: LlmRequest, turn: number): boolean {
  if (wanted !== undefined && wanted !== turn) return false;
  if (!when) return true;
  const users = request.messages.filter((message) => message.role === 'user');
  const newest = textOf(users.at(-1));
  if (when.contains !== undefined && !newest.includes(when.contains)) return false;
  if (when.matches !== undefined && !new RegExp(when.matches, 'u').test(newest)) return false;
  if (when.task_contains !== undefined && !textOf(users[0]).includes(when.task_contains)) return false;
  if (when.own_task_contains !== undefined && !(request.task ?? '').includes(when.own_task_contains)) return false;
  return when.system_contains === undefined || request.system.includes(when.system_contains);
}

function textOf(message: Message | undefined): string {
  const texts = (block: ContentBlock): string[] => {
    if (block.type === 'text') return [block.text];
    return block.type === 'tool_result' ? block.content.flatMap(texts) : [];
  };
  return message ? message.content.flatMap(texts).join('\n') : '';
}
