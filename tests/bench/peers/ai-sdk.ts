/** The AI SDK: `streamText` with tools, its stream read to the end, nothing stored by us. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { isStepCount, streamText, tool } from 'ai';
import { z } from 'zod';
import { LOOK, look, type OpenLoop, SYSTEM } from '../engage/agent-loop.ts';

export const openLoop: OpenLoop = async (baseUrl, { turns, toolMs }) => {
  const provider = createOpenAICompatible({ name: 'bench', baseURL: baseUrl, apiKey: 'k', includeUsage: true });
  const tools = {
    [LOOK.name]: tool({
      description: LOOK.description,
      inputSchema: z.strictObject({ part: z.string() }),
      execute: ({ part }) => look(part, toolMs),
    }),
  };
  return {
    async run(prompt) {
      let failure: unknown;
      const result = streamText({
        model: provider('m'),
        instructions: SYSTEM,
        prompt,
        tools,
        stopWhen: isStepCount(turns + 10),
        onError: ({ error }) => void (failure = error),
      });
      await result.consumeStream();
      if (failure !== undefined) throw failure;
      if ((await result.text) === '') throw new Error('the conversation ended without its last answer');
    },
    close: async () => undefined,
  };
};
