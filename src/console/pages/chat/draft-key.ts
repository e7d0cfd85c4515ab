/** Where an unsent message is kept: for its author only, as another person may log in on the same tab. */
export function draftKey(actor: string, draft: string): string {
  return `animus.draft.${draft} ${actor}`;
}
