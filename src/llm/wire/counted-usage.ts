import { estimateBlocks, estimateMessages } from '../../core/work/message-tokens.ts';
import { estimateTokens } from '../../core/work/tokens.ts';
import type { LlmRequest, Usage } from '../client.ts';
import { MAX_TOKENS } from './token-counts.ts';
import type { Answer } from './wire.ts';

/**
 * The tokens of a whole answer: as the provider counted them; what it left out, or counted as none although there is something, is estimated
 * from the texts and marked.
 */
export function countedUsage(
  { usage, content }: Pick<Answer, 'usage' | 'content'>,
  request: Pick<LlmRequest, 'system' | 'tools' | 'messages'>,
): Usage {
  const reported = usage ?? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
  // No request is empty, but an answer may be.
  const input = reported.input > 0 ? reported.input : estimateInput(request);
  const output = reported.output > 0 ? reported.output : estimateBlocks(content);
  if (usage !== null && input === usage.input && output === usage.output) return usage;
  return { ...reported, input: bounded(input), output: bounded(output), estimated: true };
}

function estimateInput({ system, tools, messages }: Pick<LlmRequest, 'system' | 'tools' | 'messages'>): number {
  return estimateTokens(system + JSON.stringify(tools)) + estimateMessages(messages);
}

function bounded(tokens: number): number {
  return Math.min(tokens, MAX_TOKENS);
}
