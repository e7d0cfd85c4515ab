/** The name under which a PDF file is sent to a provider that recognises files by the ending of their names. */
export function pdfName(name = 'document'): string {
  return `${name.replace(/\.pdf$/i, '')}.pdf`;
}
