/** The models of a page: a server that speaks Anthropic's wire format and answers by a script, as docs/scripted.md describes it. */
import type { ContentBlock, LlmRequest, Message } from '../../../src/llm/client.ts';
import { parseScript } from '../../../src/llm/scripted/script.ts';
import { selectAnswer } from '../../../src/llm/scripted/select-answer.ts';
import {
  type AnthropicAnswer,
  type HttpAnswer,
  startAnthropicServer,
  text,
  toolUse,
} from '../../support/model-server/anthropic.ts';
import type { ModelServer } from '../../support/model-server/server.ts';

type Json = Record<string, unknown>;

/** Starts it. `page` names the script in messages. Throws what `parseScript` does. */
export async function startScriptedModels(page: string, script: string): Promise<ModelServer> {
  const parsed = parseScript(script, page);
  let calls = 0;
  return startAnthropicServer((body): AnthropicAnswer | HttpAnswer => {
    const answer = selectAnswer(parsed, requestOf(body));
    if (!answer) return { status: 400, message: `${page} has no answer for this turn` };
    const thinking =
      answer.thinking === undefined ? [] : [{ type: 'thinking', thinking: answer.thinking, signature: 's' }];
    const content = [
      ...thinking,
      ...(answer.text === undefined ? [] : [text(answer.text)]),
      ...answer.call.map(({ id, tool, input }) => toolUse(id ?? `toolu_${++calls}`, tool, input as Json)),
    ];
    const { input = 100, output = 10 } = answer.usage;
    const usage = { input_tokens: input, output_tokens: output };
    return { content, usage, ...(answer.delay_ms > 0 && { delayMs: answer.delay_ms }) };
  });
}

/** What the conditions of a script ask about. */
function requestOf(body: Json): LlmRequest {
  const messages = (body['messages'] as { role: Message['role']; content: unknown }[]).map(({ role, content }) => ({
    role,
    content: blocksOf(content),
  }));
  const system = blocksOf(body['system'] ?? '').map((block) => ('text' in block ? block.text : ''));
  return {
    model: String(body['model']),
    system: system.join('\n'),
    tools: [],
    messages,
    maxTokens: 1,
  };
}

function blocksOf(content: unknown): ContentBlock[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return (content as Json[]).map((block) =>
    block['type'] === 'tool_result' ? { ...block, content: blocksOf(block['content'] ?? '') } : block,
  ) as unknown as ContentBlock[];
}
