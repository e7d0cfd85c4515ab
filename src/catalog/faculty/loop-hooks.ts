/** Hooks in the loop of turns, as a faculty has them: plain data. */
import { HOOK_EVENTS, type HookEvent } from '../../core/work/words.ts';
import type { PhaseHook } from './phase-hook.ts';

/** What happens when a hook fails: as if it had refused, or as if it had allowed. */
export const ON_ERROR = ['block', 'allow'] as const;
export type OnError = (typeof ON_ERROR)[number];

/** A hook of one event. */
export interface LoopHook extends PhaseHook {
  /** Its file name; unique among the hooks of its event. Names its records. */
  readonly name: string;
  readonly onError: OnError;
  /** Names of tools, or patterns in which `*` stands for any characters; null: every tool. */
  readonly tools: readonly string[] | null;
}

/** The hooks of each event, in the order in which they run: the faculty's own, then those of the hooks directory. */
export type LoopHooks = Readonly<Record<HookEvent, readonly LoopHook[]>>;

/** No hooks. */
export const NO_LOOP_HOOKS: LoopHooks = forEachEvent(() => []);

/** A value for each event. */
export function forEachEvent<Value>(make: (event: HookEvent) => Value): Readonly<Record<HookEvent, Value>> {
  return Object.fromEntries(HOOK_EVENTS.map((event) => [event, make(event)])) as Record<HookEvent, Value>;
}

/** Whether a hook is for this tool. */
export function isForTool({ tools }: Pick<LoopHook, 'tools'>, name: string): boolean {
  return tools === null || tools.some((pattern) => matchesTool(pattern, name));
}

/** Whether the name matches; `*` stands for any characters. */
function matchesTool(pattern: string, name: string): boolean {
  if (!pattern.includes('*')) return pattern === name;
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop() ?? '';
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false;
  let at = first.length;
  const end = name.length - last.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

/** The hooks with names that are unique among them: the second `check.py` becomes `check.py#2`. */
export function withUniqueNames(hooks: readonly LoopHook[]): readonly LoopHook[] {
  const taken = new Set<string>();
  return hooks.map((hook) => {
    let { name } = hook;
    for (let n = 2; taken.has(name); n++) name = `${hook.name}#${n}`;
    taken.add(name);
    return { ...hook, name };
  });
}
