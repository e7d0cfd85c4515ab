/** The tool about other work, for faculties that want to know of it. */
import { awarenessTable, readAwareness } from '../../catalog/faculty/awareness.ts';
import type { Faculty } from '../../catalog/faculty/faculty.ts';
import type { Tool } from '../tool.ts';
import type { ToolSource } from '../tool-source.ts';
import { refreshAwareness } from './refresh-awareness.ts';

/** As without a faculty. */
export const AWARENESS_TOOL: Tool = refreshAwareness(readAwareness(awarenessTable().parse({})));

/** The tool of a faculty; none if it wants to know nothing of other work. */
export function awarenessTools({ awareness }: Faculty): readonly Tool[] {
  return awareness?.enabled ? [refreshAwareness(awareness)] : [];
}

/** Offers it to foci. */
export const awarenessSource: ToolSource = {
  name: 'awareness',
  onlyForModels: true,
  open: async (faculty) => ({ tools: awarenessTools(faculty) }),
};
