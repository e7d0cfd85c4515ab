/** What the parts of `animus work show` share. */
import { type Output, styled } from './output.ts';
import type { Part } from './part.ts';

/** An empty line and a title. */
export function heading(output: Output, title: string, ...rest: readonly Part[]): void {
  output.line();
  output.line(styled(title, 'bold'), ...rest);
}

/** `code: message` of a stored error, else its JSON. */
export function errorText(error: unknown): string {
  const { code, message, reason } = (error ?? {}) as { code?: unknown; message?: unknown; reason?: unknown };
  if (typeof message === 'string') return typeof code === 'string' ? `${code}: ${message}` : message;
  return typeof reason === 'string' ? reason : JSON.stringify(error);
}
