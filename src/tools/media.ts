/** Images and PDF files of results. */
import { mediaTypeOf, sizeOfImage } from '../llm/media/inspect-media.ts';

/** An image or a PDF file of a result. */
export interface OutputFile {
  readonly name: string;
  /** By its first bytes. */
  readonly mediaType: string;
  /** At most 10 MiB. */
  readonly bytes: Buffer;
  /** Of a file that is an artifact of the item already. */
  readonly artifactId?: string;
}

/** Whether a result has files. Those of a failed one are not shown. */
export function hasFiles({ files = [], isError }: { files?: readonly OutputFile[]; isError?: boolean }): boolean {
  return files.length > 0 && isError !== true;
}

/** What an image or a PDF file is; null: it is neither. */
export function describeMedia(content: Buffer) {
  const mediaType = mediaTypeOf(content);
  if (mediaType === null) return null;
  const size = sizeOfImage(content);
  const pixels = size === null ? '' : `, ${size.width} × ${size.height} pixels`;
  return { mediaType, size, words: `${mediaType}${pixels}, ${content.length} bytes` };
}
