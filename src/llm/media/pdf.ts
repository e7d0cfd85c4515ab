/** The name under which a PDF file is sent to a provider that recognises files by the ending of their names. */
export function pdfName(name = 'document'): string {
  return `${name.replace(/\.pdf$/i, '')}.pdf`;
}

/** Bytes of a page where pages cannot be counted, because the file keeps its structure compressed. */
const BYTES_PER_PAGE = 50_000;

/** The pages of a PDF in base64: its page objects, or an estimate by its size. At least 1. */
export function pdfPages(base64: string): number {
  const bytes = Buffer.from(base64, 'base64');
  const found = bytes.toString('latin1').match(/\/Type\s{0,4}\/Page(?![A-Za-z])/g)?.length ?? 0;
  return found > 0 ? found : Math.max(1, Math.ceil(bytes.length / BYTES_PER_PAGE));
}
