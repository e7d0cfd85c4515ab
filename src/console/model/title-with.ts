/** `(3) Work · animus`. */
export function titleWith(title: string, waiting: number): string {
  return `${waiting > 0 ? `(${waiting.toLocaleString('en')}) ` : ''}${title === '' ? '' : `${title} · `}animus`;
}
