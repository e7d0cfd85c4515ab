export type Style = 'plain' | 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** A piece of text with its style; a bare string is plain. */
export type Part = string | { readonly text: string; readonly style: Style };
