/** Keys of `[faculty.orient]` about the files in which a workspace describes itself, such as AGENTS.md. */
import type { z } from 'zod';
import { count, textsMatching } from '../../core/toml/fields.ts';

/** Which files of the workspace go into the first message of a focus. */
export interface InstructionSettings {
  /** Relative to the workspace, in the order in which they are shown. */
  readonly files: readonly string[];
  /** Of all of them together. */
  readonly maxBytes: number;
}

/** Relative, without `..`. What a path leads to is checked when it is read. */
const INSIDE = /^(?!\/)(?!(?:.*\/)?\.\.(?:\/|$)).*\S/;

/** The keys, beside those of the hook. */
export const instructionFields = () => ({
  instruction_files: textsMatching(
    INSIDE,
    'a path inside the workspace',
    'a list of at most 10 paths inside the workspace',
    10,
  ).default(['AGENTS.md', 'CLAUDE.md']),
  max_instruction_bytes: count(256, 1_048_576).default(16_384),
});

/** The settings of a faculty file. */
export function readInstructionSettings(
  written: z.output<z.ZodObject<ReturnType<typeof instructionFields>>>,
): InstructionSettings {
  return { files: written.instruction_files, maxBytes: written.max_instruction_bytes };
}
