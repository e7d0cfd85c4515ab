/** Files of work, as the page shows them. */
import type { Artifact } from '../../../../client/client.ts';

/** What browsers show as pictures, without scripts in them. */
const PICTURES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const TEXTS = /^(text\/|application\/(json|xml|x-ndjson|toml|yaml|javascript))|\+(json|xml)$/;
const MOST_PICTURE_BYTES = 20 * 1024 * 1024;
const MOST_TEXT_BYTES = 5 * 1024 * 1024;

/** How a file is shown: in place, as text, or not at all. */
export function kindOf({ media_type, bytes }: Pick<Artifact, 'media_type' | 'bytes'>): 'picture' | 'text' | 'other' {
  const type = media_type.split(';', 1)[0]!.trim().toLowerCase();
  if (PICTURES.has(type) && bytes <= MOST_PICTURE_BYTES) return 'picture';
  return TEXTS.test(type) && bytes <= MOST_TEXT_BYTES ? 'text' : 'other';
}
