/** Reads the system prompt and the outcome schema of a faculty, which may be in files of their own. */
import { resolve } from 'node:path';
import { fileFault } from '../../core/errors/errors.ts';
import { readSmallFile } from '../../core/files/regular-file.ts';
import { modeOf, writtenMode } from '../faculty/modes.ts';
import { type OutcomeSchema, parseOutcomeSchema } from '../faculty/outcome-schema.ts';
import { conflict, type FacultyCheck, given } from './faculty-check.ts';

/** The text of the prompt; empty if it has a problem. */
export function readSystemPrompt(check: FacultyCheck): string {
  const { document } = check;
  const written = (key: string) => document.written('faculty', 'engage', key);
  const [inline, path] = [written('system_prompt'), given(check, 'engage', 'system_prompt_file')];
  if (inline !== undefined && written('system_prompt_file') !== undefined) {
    conflict(check, ['engage', 'system_prompt_file'], 'system_prompt is also set; keep one of them');
  } else if (typeof path === 'string') {
    return readPromptFile(check, path);
  } else if (
    given(check, 'engage', 'model') &&
    modeOf(writtenMode(written('mode'))).needs === 'model' &&
    inline === undefined &&
    !written('system_prompt_file')
  ) {
    conflict(check, ['engage'], 'needs system_prompt or system_prompt_file');
  }
  return typeof inline === 'string' ? inline : '';
}

function readPromptFile(check: FacultyCheck, path: string): string {
  const place = ['engage', 'system_prompt_file'];
  try {
    const text = readSmallFile(resolve(check.directory, path));
    if (text.trim() === '') conflict(check, place, `${path} is empty`);
    return text;
  } catch (error) {
    conflict(check, place, `${path} cannot be read: ${fileFault(error)}`);
    return '';
  }
}

/** The schema; null if there is none or if it has a problem. */
export function readOutcomeSchema(check: FacultyCheck): OutcomeSchema | null {
  const path = given(check, 'engage', 'outcome_schema');
  if (typeof path !== 'string') return null;
  const place = ['engage', 'outcome_schema'];
  try {
    const parsed = parseOutcomeSchema(readSmallFile(resolve(check.directory, path)));
    if ('schema' in parsed) return parsed.schema;
    conflict(check, place, `${path} ${parsed.problem}`);
  } catch (error) {
    conflict(check, place, `${path} cannot be read: ${fileFault(error)}`);
  }
  return null;
}
