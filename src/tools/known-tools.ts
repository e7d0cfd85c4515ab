/** What the files of faculties may say of tools, from a table, so that checking them loads no tool. `npm run tools` writes the table; a test holds it to the tools. */
import { readFileSync } from 'node:fs';
import type { KnownTool } from '../catalog/reading/read-permissions.ts';
import type { Tool } from './tool.ts';

export interface ToolTable {
  /** The valid names in a faculty's `tools`. Those of the engine are there anyway. */
  readonly listed: readonly string[];
  /** The names of the file tools that change files. */
  readonly writing: readonly string[];
  /** Every tool that permission rules may name, beside those of servers. */
  readonly known: readonly KnownTool[];
  /** The kind of every tool of animus. */
  readonly kinds: Readonly<Record<string, Tool['kind']>>;
}

let table: ToolTable | undefined;

/** The table, which is read once. */
export function toolTable(): ToolTable {
  return (table ??= JSON.parse(readFileSync(new URL('./known-tools.json', import.meta.url), 'utf8')) as ToolTable);
}
