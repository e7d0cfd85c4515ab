import type { Clock } from '../../core/lifecycle/clock.ts';
import { estimateTokens } from '../../core/work/tokens.ts';
import type { CompleteOptions, ContentBlock, LlmClient, LlmRequest, LlmResponse, LlmResult, Usage } from '../client.ts';
import { failureCost, wayOfScript } from '../failure-costs.ts';
import { callIds } from '../wire/call-ids.ts';
import { type Fault, fault, toFailure } from '../wire/fault.ts';
import type { Script, ScriptedAnswer } from './script.ts';
import { selectAnswer, turnOf } from './select-answer.ts';

/** Characters per text event, so that a demo looks like a stream. */
const PIECE_CHARS = 16;

/**
 * Plays a script in place of a model. `response.provider` is the provider's name, `response.model` is `scripted (no
 * model)`. Stateless: only the request selects the answer (select-answer.ts), so a focus that is resumed in another
 * process gets the same answers.
 */
export function scriptedClient(provider: string, script: Script, clock: Clock): LlmClient {
  return {
    async complete(request, options) {
      const startedMs = clock.monotonicMs();
      const fail = (cause: Fault): LlmResult => ({
        ok: false,
        failure: toFailure(cause, { provider, model: request.model, attempts: 1, lost: lostBy(cause) }, (text) => text),
      });
      const answer = selectAnswer(script, request);
      if (!answer) {
        const message = `${script.file} has no answer for turn ${turnOf(request)} of ${request.model}`;
        return fail(fault('invalid_request', message, { way: 'unsent' }));
      }
      await clock.sleep(answer.delay_ms, options.signal);
      if (options.signal.aborted) return fail(fault('aborted', 'aborted'));
      if (answer.fault) {
        const { kind, message, retry_after_ms: retryAfterMs = null } = answer.fault;
        return fail(fault(kind, message, { retryAfterMs, way: wayOfScript(kind) }));
      }
      const firstTokenMs = clock.monotonicMs() - startedMs;
      const content = contentOf(answer, request, provider);
      if (!(await passOn(content, answer.piece_delay_ms, clock, options))) return fail(fault('aborted', 'aborted'));
      const times = {
        timeToFirstTokenMs: content.length > 0 ? firstTokenMs : null,
        durationMs: clock.monotonicMs() - startedMs,
      };
      return { ok: true, response: { provider, ...answered(answer, request, content), ...times } };
    },
  };
}

function lostBy({ way }: Fault): number {
  return failureCost(way, 'script') === 'lost' ? 1 : 0;
}

function contentOf(answer: ScriptedAnswer, request: LlmRequest, provider: string): ContentBlock[] {
  const from = { provider, model: request.model };
  const content: ContentBlock[] = [];
  if (answer.thinking) content.push({ type: 'thinking', text: answer.thinking, ...from });
  if (answer.text) content.push({ type: 'text', text: answer.text });
  let number = 0;
  const idOf = callIds(() => `call_${turnOf(request)}_${number++}`);
  for (const [index, call] of answer.call.entries()) {
    number = index + 1;
    const id = idOf(call.id ?? '');
    const invalid = call.invalid_input !== undefined && { invalidInput: call.invalid_input };
    content.push({ type: 'tool_call', id, name: call.tool, input: call.input, ...invalid });
  }
  return content;
}

/** False if it was aborted. */
async function passOn(
  content: readonly ContentBlock[],
  delayMs: number,
  clock: Clock,
  { onEvent, signal }: CompleteOptions,
): Promise<boolean> {
  for (const block of content) {
    if (block.type === 'tool_call') onEvent?.({ type: 'tool_call', id: block.id, name: block.name });
    if (block.type !== 'text' && block.type !== 'thinking') continue;
    for (const text of pieces(block.text)) {
      onEvent?.({ type: block.type, text });
      if (delayMs > 0) await clock.sleep(delayMs, signal);
      if (signal.aborted) return false;
    }
  }
  return true;
}

function pieces(text: string): string[] {
  return text.match(new RegExp(`[^]{1,${PIECE_CHARS}}`, 'gu')) ?? [];
}

function answered(answer: ScriptedAnswer, request: LlmRequest, content: readonly ContentBlock[]) {
  return {
    model: 'scripted (no model)',
    responseId: null,
    content,
    stopReason: answer.stop ?? (answer.call.length > 0 ? 'tool_use' : 'end_turn'),
    rawStopReason: 'scripted',
    cutToolCalls: [],
    usage: usageOf(answer, request, content),
    attempts: 1,
    fellBackFrom: [],
  } satisfies Partial<LlmResponse>;
}

/** The numbers of the script, else estimates from the texts. */
function usageOf({ usage }: ScriptedAnswer, request: LlmRequest, content: readonly ContentBlock[]): Usage {
  const { system, tools, messages } = request;
  return {
    input: usage.input ?? estimateTokens(JSON.stringify([system, tools, messages])),
    output: usage.output ?? estimateTokens(JSON.stringify(content)),
    cacheRead: usage.cache_read ?? 0,
    cacheWrite: usage.cache_write ?? 0,
    reasoning: usage.reasoning ?? 0,
  };
}
