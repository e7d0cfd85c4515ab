/** The hooks of a faculty's loop, for people and for programs. */
import type { Faculty } from '../../catalog/faculty/faculty.ts';
import { type LoopHook, NO_LOOP_HOOKS } from '../../catalog/faculty/loop-hooks.ts';
import { HOOK_EVENTS, type HookEvent } from '../../core/work/words.ts';
import { type Output, styled } from '../../terminal/view/output.ts';

interface HookOfEvent {
  readonly event: HookEvent;
  readonly hook: LoopHook;
}

/** All hooks, in the order in which they run. */
function hooksOf({ hooks = NO_LOOP_HOOKS }: Faculty): readonly HookOfEvent[] {
  return HOOK_EVENTS.flatMap((event) => hooks[event].map((hook) => ({ event, hook })));
}

/** For `--json`. */
export function hooksJson(faculty: Faculty) {
  return hooksOf(faculty).map(({ event, hook }) => ({
    event,
    name: hook.name,
    command: hook.command,
    args: hook.args,
    tools: hook.tools,
    timeout_seconds: hook.timeoutSeconds,
    on_error: hook.onError,
  }));
}

/** Prints a table of the hooks; nothing without hooks. */
export function showHooks(output: Output, faculty: Faculty): void {
  const hooks = hooksOf(faculty);
  if (hooks.length === 0) return;
  output.line();
  output.table(
    [
      { title: 'HOOK', shrink: true },
      { title: 'EVENT' },
      { title: 'TOOLS', shrink: true },
      { title: 'SECONDS', align: 'right', optional: true },
      { title: 'ON ERROR' },
      { title: 'COMMAND', shrink: true, optional: true },
    ],
    hooks.map(({ event, hook }) => [
      hook.name,
      event,
      toolsOf(event, hook),
      String(hook.timeoutSeconds),
      hook.onError === 'allow' ? styled('allow', 'yellow') : hook.onError,
      [hook.command, ...hook.args].join(' '),
    ]),
  );
}

/** Prints a line for each event that has hooks. */
export function listHooks(output: Output, faculty: Faculty, indent: string): void {
  for (const event of HOOK_EVENTS) {
    const hooks = hooksOf(faculty).filter((each) => each.event === event);
    const names = hooks.map(({ hook }) =>
      hook.tools === null ? hook.name : `${hook.name} (${hook.tools.join(', ')})`,
    );
    if (names.length > 0) output.block(`${event}: ${names.join(', ')}`, indent);
  }
}

function toolsOf(event: HookEvent, { tools }: LoopHook): string {
  if (event === 'before_llm_call') return '-';
  return tools === null ? 'all' : tools.join(', ');
}
