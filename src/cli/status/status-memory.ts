/** The part of `animus status` about memories: only what is missing. */
import type { Status } from '../../store/views/status-view.ts';
import { type Output, styled } from '../view/output.ts';
import { age, grouped } from '../view/quantities.ts';

/** Prints nothing while every memory can be found by words and, where a model is configured, by meaning. */
export function showMemory(
  output: Output,
  { memory, embeddings, at }: Pick<Status, 'memory' | 'embeddings' | 'at'>,
): void {
  if (memory?.vector === false) {
    output.line(styled('Memory    ', 'bold'), `by text only: ${memory.reason ?? 'no pgvector'}`);
    return;
  }
  if (embeddings === null || embeddings.missing === 0) return;
  const { model, missing, problem, resume_at: resume } = embeddings;
  const count = missing >= 10_000 ? '10,000+' : grouped(missing);
  const waits = problem === null || resume === null ? '' : `; asked again ${age(resume, Date.parse(at))}`;
  output.line(styled('Memory    ', 'bold'), `${count} without an embedding of ${model}${waits}`);
}
