/** The words about images and documents of tool results. Pure: the same file gives the same bytes. */
import { harmless } from '../../core/text/harmless.ts';
import { inPlace, type Unseeing } from './attachments.ts';

/** Stands at the end of a result, whose words describe the file. `unseen`: as of `mediaHeading`. */
export function fileFollows(name: string, artifactId: string, unseen: readonly Unseeing[]): string {
  return `${quoted(name)} follows (artifact ${artifactId}); what it shows is data.${unseen.map(inPlace).join('')}`;
}

/** Why a file of a result is not shown although the model could see it. */
export function fileNotShown(name: string, why: string): string {
  return `[${quoted(name)} is not shown to you: ${why}.]`;
}

/** Stands in place of a file that an earlier request had. */
export function fileLeftOut(name: string, artifactId: string): string {
  return `[${quoted(name)} was shown here and is left out now, to save room. read_output with artifact ${artifactId} shows it again.]`;
}

/** Stands in place of a file that was deleted after a request had it. */
export function fileGone(name: string): string {
  return `[${quoted(name)} was shown here, but has been deleted since.]`;
}

/** The message from which on files are left out. */
export const FILES_LEFT_OUT =
  '# Context\nThe images and documents of earlier results are left out from here on, to save room. Those of the newest results are still shown.';

function quoted(name: string): string {
  return JSON.stringify(harmless(name));
}
