/**
 * What a command runs beside its program, and beside the texts that `startsOf` finds. `itself`: nothing. `more`: what its program is made to run, by its
 * files or its words, which nobody can list; `rest` are its words from the name of that program on. `unclear`: something that the words hide.
 */
export type WhatRuns =
  | { readonly kind: 'itself' }
  | { readonly kind: 'more'; readonly why: string; readonly rest: readonly string[] }
  | { readonly kind: 'unclear'; readonly why: string };

export const ITSELF: WhatRuns = { kind: 'itself' };
