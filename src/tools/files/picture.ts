/** Images and PDF files of the workspace, as results. */
import { basename } from 'node:path';
import { describeMedia } from '../media.ts';
import type { ToolOutput } from '../tool.ts';
import type { WorkspaceFile } from './text-file.ts';

/** The result with the file for the model, or with its type and size for code, which reads the file itself; null: it is no image and no PDF file. */
export function pictureOf({ shown, content, changing }: WorkspaceFile, forCode: boolean): ToolOutput | null {
  const described = describeMedia(content);
  if (described === null) return null;
  const { mediaType, words, size } = described;
  const details = { path: shown, media_type: mediaType, bytes: content.length, ...size };
  const note = changing ? '\n[the file changed while it was read; read it again later]' : '';
  const output = { content: `${shown}: ${words}${note}`, details, data: () => details };
  return forCode || changing ? output : { ...output, files: [{ name: basename(shown), mediaType, bytes: content }] };
}
