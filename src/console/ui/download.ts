/** Saves a file on the person's machine. */

const KEPT_MS = 60_000;

/** The name comes from others: signs that name folders become `_`. */
export function download(name: string, content: Blob): void {
  const address = URL.createObjectURL(new Blob([content], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = safeName(name);
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS);
}

export function safeName(name: string): string {
  const safe = name
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\:*?"<>|]/gu, '_')
    .replace(/^\.+/, '_')
    .slice(0, 150);
  return safe.trim() === '' ? 'file' : safe;
}
