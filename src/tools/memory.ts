/** The memory tools: what one piece of work learns, another one can find. */
import type { EmbedQuery } from './memory/embed-query.ts';
import { memoryForget, memoryStore, memoryUpdate } from './memory/memory-changes.ts';
import { memorySearch } from './memory/memory-search.ts';
import type { Tool } from './tool.ts';

/** `embedQuery` makes a vector of what is searched for. */
export function memoryTools(embedQuery: EmbedQuery): readonly Tool[] {
  return [memorySearch(embedQuery), memoryStore, memoryUpdate, memoryForget];
}
