/** The minimum that any loop needs: the same requests with undici, the stream framed and parsed, the tools run, only the messages kept. */
import { createParser } from 'eventsource-parser';
import { Agent } from 'undici';
import { LOOK, look, type OpenLoop, SYSTEM } from './agent-loop.ts';

interface Call {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

interface Delta {
  content?: string | null;
  tool_calls?: { index: number; id?: string; function: { name?: string; arguments: string } }[];
}

const TOOLS = [
  {
    type: 'function',
    function: {
      ...LOOK,
      parameters: { type: 'object', properties: { part: { type: 'string' } }, required: ['part'] },
    },
  },
];

export const openLoop: OpenLoop = async (baseUrl, { toolMs }) => {
  const { origin, pathname } = new URL(baseUrl);
  const agent = new Agent();

  async function ask(messages: readonly object[]): Promise<{ text: string; calls: Call[] }> {
    const stream_options = { include_usage: true };
    const response = await agent.request({
      origin,
      path: `${pathname}/chat/completions`,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', stream: true, stream_options, messages, tools: TOOLS }),
    });
    let text = '';
    const calls: Call[] = [];
    const take = ({ content, tool_calls }: Delta) => {
      text += content ?? '';
      for (const { index, id = '', function: said } of tool_calls ?? []) {
        const call = (calls[index] ??= { id, type: 'function', function: { name: said.name ?? '', arguments: '' } });
        call.function.arguments += said.arguments;
      }
    };
    const decoder = new TextDecoder();
    const parser = createParser({
      onEvent: ({ data }) => {
        if (data === '[DONE]') return;
        const { choices } = JSON.parse(data) as { choices: { delta: Delta }[] };
        if (choices[0]) take(choices[0].delta);
      },
    });
    for await (const chunk of response.body) parser.feed(decoder.decode(chunk as Buffer, { stream: true }));
    return { text, calls };
  }

  return {
    async run(prompt) {
      const messages: object[] = [
        { role: 'system', content: SYSTEM },
        { role: 'user', content: prompt },
      ];
      for (;;) {
        const { text, calls } = await ask(messages);
        if (calls.length === 0) return;
        messages.push({ role: 'assistant', content: text, tool_calls: calls });
        const results = await Promise.all(
          calls.map(({ function: said }) => look((JSON.parse(said.arguments) as { part: string }).part, toolMs)),
        );
        messages.push(...calls.map(({ id }, n) => ({ role: 'tool', tool_call_id: id, content: results[n] })));
      }
    },
    close: () => agent.close(),
  };
};
