/** The commands that a focus runs in the background, as its transcript tells: what a stub mentions, and what a resumed focus has lost. Pure. */
import type { RecordedCall } from '../../store/transcript/calls.ts';
import { ownPart, type Transcript } from '../../store/transcript/transcript.ts';
import { COMMAND_LINE } from '../../tools/shell/job-output.ts';
import { LOST_COMMANDS } from '../prompt/prompt.ts';

/** The ids of commands that were started, oldest first, without those that were reported as ended or lost. */
export function openCommands(transcript: Transcript): string[] {
  // Those of an earlier answer ended with it.
  const { turns, messages } = ownPart(transcript);
  const open = new Set<string>();
  for (const call of turns.flatMap(({ calls }) => calls)) {
    const [, id, state] = startOrLook(call) ?? [];
    if (id === undefined) continue;
    if (state === 'ended') open.delete(id);
    else if (state === 'runs in the background') open.add(id);
  }
  const lost = messages.filter(({ kind, content }) => kind === 'notice' && content.startsWith(LOST_COMMANDS));
  return [...open].filter((id) => !lost.some(({ content }) => content.includes(id)));
}

function startOrLook({ name, input, finalInput, output }: RecordedCall): RegExpExecArray | null {
  if (output === null || (name !== 'bash' && name !== 'bash_job')) return null;
  const { background } = (finalInput ?? input) as { readonly background?: unknown };
  if (name === 'bash' && background !== true) return null;
  return COMMAND_LINE.exec(output);
}
