/** Finds settings of a faculty that name something unknown or contradict each other. */
import { showValue } from '../../core/errors/problem.ts';
import { didYouMean } from '../../core/errors/suggest.ts';
import { writtenMode } from '../faculty/modes.ts';
import { conflict, type FacultyCheck, given, listsTool, tableAt } from './faculty-check.ts';

/** Where tools of the engine come from that not every faculty has, beside those of skills. */
const COMES_WITH: Readonly<Record<string, string>> = {
  spawn_child_work: 'spawn_child_work comes with [faculty.children]',
  await_child_work: 'await_child_work comes with [faculty.children]',
  check_child_work: 'check_child_work comes with [faculty.children]',
  refresh_awareness: 'refresh_awareness comes with [faculty.awareness], which is on by default',
};

/** Checks that each tool exists and is listed once, together with those that it needs. `always`: the engine's own tools; some come with another key. */
export function checkTools(
  check: FacultyCheck,
  toolNames: readonly string[],
  always: readonly { readonly name: string }[] = [],
): void {
  const tools = given(check, 'engage', 'tools');
  if (!Array.isArray(tools)) return;
  const refuse = (detail: string) => conflict(check, ['engage', 'tools'], detail);
  for (const [index, tool] of (tools as string[]).entries()) {
    const isListable = toolNames.includes(tool);
    if (tool === 'execute_code') refuse('execute_code is offered with code_execution = true: remove it from the list');
    else if (!isListable && always.some(({ name }) => name === tool))
      refuse(`${COMES_WITH[tool] ?? `${tool} comes with skills`}: remove it from the list`);
    else if (!isListable) refuse(`no tool named ${showValue(tool)}${didYouMean(tool, toolNames)}`);
    else if (tools.indexOf(tool) !== index) refuse(`${showValue(tool)} is listed twice`);
    else if (tool === 'bash_job' && !listsTool(check, 'bash'))
      refuse('bash_job looks at commands of bash: also list bash, or remove bash_job');
  }
}

/** Checks the short forms `concurrent = false` and `parallel_tool_execution = false`, which set a maximum of 1. */
export function checkConcurrency(check: FacultyCheck): void {
  const isGiven = (...path: readonly string[]) => given(check, ...path) !== undefined;
  if (isGiven('concurrent') && isGiven('max_concurrent'))
    conflict(check, ['concurrent'], 'max_concurrent is also set; keep one of them');
  if (isGiven('engage', 'parallel_tool_execution') && isGiven('engage', 'max_parallel_tools'))
    conflict(check, ['engage', 'parallel_tool_execution'], 'max_parallel_tools is also set; keep one of them');
}

/** Checks that nothing is said about code where none is run. */
export function checkCodeExecution(check: FacultyCheck): void {
  if (given(check, 'engage', 'mode') === 'code' || given(check, 'engage', 'code_execution') === true) return;
  for (const key of Object.keys(tableAt(check, 'engage') ?? {})) {
    if (key.startsWith('code_execution_') && given(check, 'engage', key) !== undefined)
      conflict(check, ['engage', key], 'needs code_execution = true');
  }
}

/** Checks that the first delay is at most the longest one. */
export function checkBackoff(check: FacultyCheck): void {
  const recover = check.document.sound?.faculty.recover;
  if (recover === undefined || recover.base_seconds <= recover.max_seconds) return;
  const detail = `base_seconds (${recover.base_seconds}) is more than max_seconds (${recover.max_seconds})`;
  conflict(check, ['recover'], detail);
}

/** Refuses shared caches for a faculty none of whose commands would get them. */
export function checkCaches(check: FacultyCheck): void {
  const caches = given(check, 'caches');
  if (!Array.isArray(caches) || caches.length === 0) return;
  if (listsTool(check, 'bash') || writtenMode(given(check, 'engage', 'mode')) === 'external') return;
  const whose = 'is for commands of bash, and for the command of mode = "external"';
  conflict(check, ['caches'], `${whose}: list bash in engage.tools, or remove caches`);
}
