/** What tools say of images and PDF files. */
import { mediaTypeOf, sizeOfImage } from '../llm/media/inspect-media.ts';

/** What an image or a PDF file is; null: it is neither. */
export function describeMedia(content: Buffer) {
  const mediaType = mediaTypeOf(content);
  if (mediaType === null) return null;
  const size = sizeOfImage(content);
  const pixels = size === null ? '' : `, ${size.width} × ${size.height} pixels`;
  return { mediaType, size, words: `${mediaType}${pixels}, ${content.length} bytes` };
}
