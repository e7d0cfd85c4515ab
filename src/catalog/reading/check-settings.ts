/** Finds settings of a faculty that name something unknown or contradict each other. */
import { showValue } from '../../core/errors/problem.ts';
import { didYouMean } from '../../core/errors/suggest.ts';
import { conflict, type FacultyCheck } from './faculty-check.ts';

/** Where tools of the engine come from that not every faculty has, beside those of skills. */
const COMES_WITH: Readonly<Record<string, string>> = {
  spawn_child_work: 'spawn_child_work comes with [faculty.children]',
  await_child_work: 'await_child_work comes with [faculty.children]',
  check_child_work: 'check_child_work comes with [faculty.children]',
  refresh_awareness: 'refresh_awareness comes with [faculty.awareness], which is on by default',
};

/** Checks that each tool exists and is listed once, together with those that it needs. `always`: the engine's own tools, of which some come with another key. */
export function checkTools(
  check: FacultyCheck,
  toolNames: readonly string[],
  always: readonly { readonly name: string }[] = [],
): void {
  const tools = check.document.given('faculty', 'engage', 'tools');
  if (!Array.isArray(tools)) return;
  for (const [index, tool] of (tools as string[]).entries()) {
    if (tool === 'execute_code') {
      conflict(
        check,
        ['engage', 'tools'],
        'execute_code is offered with code_execution = true: remove it from the list',
      );
    } else if (!toolNames.includes(tool) && always.some(({ name }) => name === tool)) {
      conflict(
        check,
        ['engage', 'tools'],
        `${COMES_WITH[tool] ?? `${tool} comes with skills`}: remove it from the list`,
      );
    } else if (!toolNames.includes(tool)) {
      conflict(check, ['engage', 'tools'], `no tool named ${showValue(tool)}${didYouMean(tool, toolNames)}`);
    } else if (tools.indexOf(tool) !== index) {
      conflict(check, ['engage', 'tools'], `${showValue(tool)} is listed twice`);
    } else if (tool === 'bash_job' && !tools.includes('bash')) {
      conflict(check, ['engage', 'tools'], 'bash_job looks at commands of bash: list bash, too, or remove it');
    }
  }
}

/** Checks the short forms `concurrent = false` and `parallel_tool_execution = false`, which set a maximum of 1. */
export function checkConcurrency(check: FacultyCheck): void {
  const { document } = check;
  if (
    document.given('faculty', 'concurrent') !== undefined &&
    document.given('faculty', 'max_concurrent') !== undefined
  ) {
    conflict(check, ['concurrent'], 'max_concurrent is set, too; keep one of them');
  }
  const given = (key: string) => document.given('faculty', 'engage', key);
  if (given('parallel_tool_execution') !== undefined && given('max_parallel_tools') !== undefined) {
    conflict(check, ['engage', 'parallel_tool_execution'], 'max_parallel_tools is set, too; keep one of them');
  }
}

/** Checks that nothing is said about code where none is run. */
export function checkCodeExecution(check: FacultyCheck): void {
  const engage = check.document.written('faculty', 'engage');
  if (
    typeof engage !== 'object' ||
    engage === null ||
    check.document.given('faculty', 'engage', 'mode') === 'code' ||
    check.document.given('faculty', 'engage', 'code_execution') === true
  ) {
    return;
  }
  for (const key of Object.keys(engage)) {
    if (key.startsWith('code_execution_') && check.document.given('faculty', 'engage', key) !== undefined)
      conflict(check, ['engage', key], 'needs code_execution = true');
  }
}

/** Checks that the first delay is at most the longest one. */
export function checkBackoff(check: FacultyCheck): void {
  const recover = check.document.sound?.faculty.recover;
  if (recover === undefined || recover.base_seconds <= recover.max_seconds) return;
  conflict(
    check,
    ['recover'],
    `base_seconds (${recover.base_seconds}) is more than max_seconds (${recover.max_seconds})`,
  );
}
