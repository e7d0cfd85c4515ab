/** A candidate of the comparison: runs an agent's loop against the model server of the benchmark. */

/** The load of one process. */
export interface TurnLoad {
  readonly turns: number;
  readonly callsPerTurn: number;
  /** Duration of each tool call; 0: it returns at once. */
  readonly toolMs: number;
}

/** A loop that has been set up; `run` may be called many times in parallel. */
export interface AgentLoop {
  /** Runs a conversation to the model's last answer. `prompt` is its first user message, word for word. */
  run(prompt: string): Promise<void>;
  close(): Promise<void>;
}

/** `baseUrl` serves Chat Completions. */
export type OpenLoop = (baseUrl: string, load: TurnLoad) => Promise<AgentLoop>;

/** Tells the model server which conversation this is, and which scenario it follows. */
export function promptOf(conversation: string, { turns, callsPerTurn }: TurnLoad): string {
  return JSON.stringify({ conversation, turns, callsPerTurn });
}

export const SYSTEM = 'You look at the parts of the work, one after the other.';

/** The only tool: its input is `{part: string}`, its output about 400 bytes. */
export const LOOK = { name: 'look', description: 'Looks at a part of the work.' };

/** The implementation of the tool. */
export async function look(part: string, toolMs: number): Promise<string> {
  if (toolMs > 0) await new Promise((resolve) => setTimeout(resolve, toolMs));
  return `part ${part}: `.padEnd(400, 'lorem ipsum ');
}
