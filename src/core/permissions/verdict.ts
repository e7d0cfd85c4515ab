/** The words of permissions. */

/** What happens to a call: it runs, a person is asked first, or it is refused. The later word is the stricter one. */
export const VERDICTS = ['auto', 'ask', 'forbid'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** The worst effect of a tool; it decides the default permission. */
export const RISK_CLASSES = ['read', 'write', 'execute', 'network', 'spend'] as const;
export type RiskClass = (typeof RISK_CLASSES)[number];

/**
 * How rules compare a field of an input. `tree` is a path whose whole content is read; it is the workspace where it is left out. A field of no kind is
 * compared as the pattern suggests: a URL, a path if it has a `/`, or a text.
 */
export type FieldKind = 'command' | 'path' | 'tree' | 'url' | 'text';

/** The stricter of two. */
export function stricter(a: Verdict, b: Verdict): Verdict {
  return VERDICTS.indexOf(a) >= VERDICTS.indexOf(b) ? a : b;
}
