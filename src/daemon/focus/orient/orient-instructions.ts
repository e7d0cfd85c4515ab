/** How the workspace describes itself, for the first message. */
import type { Faculty } from '../../../catalog/faculty/faculty.ts';
import { instructionsPart } from '../../../engage/prompt/instructions-part.ts';
import { readInstructionFiles } from '../../workspace/instruction-files.ts';
import type { RulesNow } from '../scope/focus-scope.ts';

/** The part of the first message; null if the workspace has none of the faculty's instruction files. `rules` is asked only if it has. */
export async function instructionsOf(
  workspace: string,
  rules: RulesNow,
  { instructions }: Faculty,
): Promise<string | null> {
  if (instructions === undefined) return null;
  return instructionsPart(await readInstructionFiles(workspace, () => rules(), instructions));
}
