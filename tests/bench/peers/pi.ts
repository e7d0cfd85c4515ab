/** pi: its `Agent` with the OpenAI-compatible API of pi-ai, as its README sets up a server of one's own. Nothing is stored. */
import { Agent, type AgentTool } from '@earendil-works/pi-agent-core';
import { createModels, createProvider, type Model } from '@earendil-works/pi-ai';
import { openAICompletionsApi } from '@earendil-works/pi-ai/api/openai-completions.lazy';
import { Type } from 'typebox';
import { LOOK, look, type OpenLoop, SYSTEM } from '../engage/agent-loop.ts';

export const openLoop: OpenLoop = async (baseUrl, { toolMs }) => {
  const model: Model<'openai-completions'> = {
    id: 'm',
    name: 'm',
    api: 'openai-completions',
    provider: 'bench',
    baseUrl,
    reasoning: false,
    input: ['text'],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 200_000,
    maxTokens: 32_000,
  };
  const models = createModels();
  models.setProvider(
    createProvider({
      id: 'bench',
      baseUrl,
      auth: { apiKey: { name: 'bench', resolve: async () => ({ auth: { apiKey: 'k' } }) } },
      models: [model],
      api: openAICompletionsApi(),
    }),
  );
  const parameters = Type.Object({ part: Type.String() });
  const tool: AgentTool<typeof parameters> = {
    ...LOOK,
    label: LOOK.name,
    parameters,
    execute: async (_id, { part }) => ({ content: [{ type: 'text', text: await look(part, toolMs) }], details: null }),
  };
  return {
    async run(prompt) {
      const agent = new Agent({
        initialState: { systemPrompt: SYSTEM, model, tools: [tool] },
        streamFn: models.streamSimple.bind(models),
      });
      await agent.prompt(prompt);
      const { errorMessage, messages } = agent.state;
      if (errorMessage !== undefined) throw new Error(errorMessage);
      const last = messages.at(-1);
      if (last?.role !== 'assistant' || last.stopReason !== 'stop') {
        throw new Error('the conversation ended without its last answer');
      }
    },
    close: async () => undefined,
  };
};
