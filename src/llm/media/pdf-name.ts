/** The name that a PDF file has for a provider, which goes by its end. */
export function pdfName(name = 'document'): string {
  return `${name.replace(/\.pdf$/i, '')}.pdf`;
}
