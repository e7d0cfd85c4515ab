/** What is compared: something that runs an agent's loop against the model server of the benchmark. */

/** The load of one process. */
export interface TurnLoad {
  readonly turns: number;
  readonly callsPerTurn: number;
  /** Each tool call takes so long; 0: it answers at once. */
  readonly toolMs: number;
}

/** A loop that has been set up; `run` may be called many times at once. */
export interface AgentLoop {
  /** Runs a conversation to the model's last answer. `prompt` is its first user message, word for word. */
  run(prompt: string): Promise<void>;
  close(): Promise<void>;
}

/** `baseUrl` speaks Chat Completions. */
export type OpenLoop = (baseUrl: string, load: TurnLoad) => Promise<AgentLoop>;

/** Says to the model server which conversation this is, and how it goes. */
export function promptOf(conversation: string, { turns, callsPerTurn }: TurnLoad): string {
  return JSON.stringify({ conversation, turns, callsPerTurn });
}

export const SYSTEM = 'You look at the parts of the work, one after the other.';

/** The one tool: its input is `{part: string}`, its output about 400 bytes. */
export const LOOK = { name: 'look', description: 'Looks at a part of the work.' };

/** What the tool does. */
export async function look(part: string, toolMs: number): Promise<string> {
  if (toolMs > 0) await new Promise((resolve) => setTimeout(resolve, toolMs));
  return `part ${part}: `.padEnd(400, 'lorem ipsum ');
}
