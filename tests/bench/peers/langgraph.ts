/** LangGraph: its own model-and-tools graph, without a checkpointer, the model streaming. */
import { tool } from '@langchain/core/tools';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import { ChatOpenAICompletions } from '@langchain/openai';
import { z } from 'zod';
import { LOOK, look, type OpenLoop, SYSTEM } from '../engage/agent-loop.ts';

/**
 * By default, the class counts the tokens of each streamed prompt itself, with a table that it downloads when first
 * used. The benchmark must not depend on that, so counting is turned off.
 */
class CountsNothing extends ChatOpenAICompletions {
  override async getNumTokens(): Promise<number> {
    return 0;
  }
}

export const openLoop: OpenLoop = async (baseUrl, { turns, toolMs }) => {
  const tools = [tool(({ part }) => look(part, toolMs), { ...LOOK, schema: z.strictObject({ part: z.string() }) })];
  const model = new CountsNothing({
    model: 'm',
    apiKey: 'k',
    streaming: true,
    streamUsage: true,
    configuration: { baseURL: baseUrl },
  }).bindTools(tools);
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('agent', async ({ messages }) => ({
      messages: [await model.invoke([{ role: 'system', content: SYSTEM }, ...messages])],
    }))
    .addNode('tools', new ToolNode(tools))
    .addEdge(START, 'agent')
    .addConditionalEdges('agent', toolsCondition, ['tools', END])
    .addEdge('tools', 'agent')
    .compile();
  return {
    async run(prompt) {
      const { messages } = await graph.invoke(
        { messages: [{ role: 'user', content: prompt }] },
        { recursionLimit: 2 * turns + 20 },
      );
      if (!messages.at(-1)?.text) throw new Error('the conversation ended without its last answer');
    },
    close: async () => undefined,
  };
};
