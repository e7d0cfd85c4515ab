import { expect, test } from 'vitest';
import { htmlText } from '../../../src/tools/web/html-text.ts';

const read = (html: string) => htmlText(html, 'https://example.test/a/b').text;

test('headings, paragraphs, lists, tables, code and links become text', () => {
  const html = `<!doctype html><html><head><title>Ti&amp;tle
    of a page</title><style>p{}</style></head><body><nav><a href=/>Home</a></nav>
    <h1>Über <em>alles</em></h1><p>One   <a href="../c?d=1#e">link</a>, <a href="#here">none</a>,
    <a href="javascript:alert(1)">no script</a>.</p>loose
    <ul><li>one<li>two<ul><li>deep</ul><li>three</ul>
    <table><tr><th>a<th>b<tr><td>1<td><b>2</b></table>
    <pre>  x
    y</pre><img src=x alt="a cat"><img src=y><script>bad()</script><p>first<br>second</body></html>`;
  expect(htmlText(html, 'https://example.test/a/b')).toEqual({
    title: 'Ti&tle of a page',
    text: `# Über alles

One link (https://example.test/c?d=1#e), none, no script.

loose

- one
- two
  - deep
- three

a | b
1 | 2

\`\`\`
  x
    y
\`\`\`

[image: a cat]

first
second`,
  });
});

test('only the content of a page is read where the page marks it', () => {
  const words = 'words '.repeat(60);
  expect(read(`<header>top</header><main><h2>In</h2>${words}</main><footer>end</footer>`)).toBe(
    `## In\n\n${words.trim()}`,
  );
  expect(read(`<article>teaser</article><article>${words}</article>`)).toBe(words.trim());
  expect(read('<p>before</p><main>short</main>')).toBe('before\n\nshort');
});

test('broken, empty and foreign HTML has what text it has', () => {
  expect(read('')).toBe('');
  expect(read('just text')).toBe('just text');
  expect(read('</div></p><p>a<div>b</span></main></pre></ul>c')).toBe('a\n\nbc');
  expect(read('<a href="http://[broken">x</a> <a href="y"></a><a><a href=z>in</a></a>')).toBe(
    'x in (https://example.test/a/z)',
  );
  expect(read('&lt;script&gt; 漢字 &#128512; &nbsp;x')).toBe('<script> 漢字 😀 x');
});
