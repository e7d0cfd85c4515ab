/** The memory tools: what one piece of work learns, another one can find. */
import { memoryForget, memoryStore, memoryUpdate } from './memory/memory-changes.ts';
import { memorySearch } from './memory/memory-search.ts';
import type { Tool } from './tool.ts';

export const MEMORY_TOOLS: readonly Tool[] = [memorySearch, memoryStore, memoryUpdate, memoryForget];
