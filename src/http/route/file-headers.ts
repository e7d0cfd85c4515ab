/** The headers of a file that people, models or agents wrote: browsers must neither show it as a page of this address nor guess what it is. */
export function fileHeaders(type: string, name: string): Record<string, string> {
  return {
    'content-type': type,
    'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name.toWellFormed()).replaceAll("'", '%27')}`,
    'content-security-policy': 'sandbox',
    'cache-control': 'private, no-cache',
  };
}
