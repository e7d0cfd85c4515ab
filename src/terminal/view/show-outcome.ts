/** How a work item ended, and what the parts of `animus work show` share. */
import { failedWritesOf, failedWritesText } from '../../core/work/failed-writes.ts';
import type { WorkItem } from '../../operations/work-rows.ts';
import { type Output, styled } from './output.ts';
import type { Part } from './part.ts';
import { shortId } from './quantities.ts';

/** Prints how an item ended: outcome, or error. */
export function showOutcome(
  output: Output,
  item: Pick<WorkItem, 'state' | 'error' | 'outcome' | 'outcome_summary'>,
): void {
  if (item.error !== null && item.state !== 'completed') {
    heading(output, 'Error');
    output.block(errorText(item.error), '  ');
  }
  if (item.outcome === null) return;
  heading(output, 'Outcome');
  const failed = failedWritesOf(item.outcome);
  if (failed !== null) output.line('  ', styled(failedWritesText(failed), 'yellow'));
  const { failed_writes: _, ...own } = item.outcome as { failed_writes?: unknown };
  const text = onlyText(own);
  if (text === null && item.outcome_summary !== null) output.block(item.outcome_summary, '  ');
  const rest = text ?? JSON.stringify(own, null, 2);
  if (rest !== '{}') output.block(rest, '  ');
}

/** The command that runs dead work again. */
export function showRetry(output: Output, { id, state }: Pick<WorkItem, 'id' | 'state'>): void {
  if (state === 'dead') output.command('  retry: ', `work retry ${shortId(id)}`);
}

/** The last text of the model, if it is the whole outcome; the summary is its first line. */
function onlyText(outcome: unknown): string | null {
  const { text, ...others } = (outcome ?? {}) as { text?: unknown };
  return typeof text === 'string' && Object.keys(others).length === 0 ? text : null;
}

/** An empty line and a title. */
export function heading(output: Output, title: string, ...rest: readonly Part[]): void {
  output.line();
  output.line(styled(title, 'bold'), ...rest);
}

/** `code: message` of a stored error, else its JSON. */
export function errorText(error: unknown): string {
  const { code, message, reason } = (error ?? {}) as { code?: unknown; message?: unknown; reason?: unknown };
  if (typeof message === 'string') return typeof code === 'string' ? `${code}: ${message}` : message;
  return typeof reason === 'string' ? reason : JSON.stringify(error);
}
