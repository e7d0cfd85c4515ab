/** Code in prose, with what it is written in and a button that copies it. */
import { useState } from 'preact/hooks';
import { S } from '../words/strings.ts';
import { VisibleText } from './visible-text.tsx';

const MOST = 20_000;
const SAID_MS = 2000;

export function CodeBlock({ text, language }: { readonly text: string; readonly language: string }) {
  const [said, setSaid] = useState<string | null>(null);
  const copy = async () => {
    const done = await navigator.clipboard.writeText(text).then(
      () => S.visible.copied,
      () => S.visible.notCopied,
    );
    setSaid(done);
    setTimeout(() => setSaid(null), SAID_MS);
  };
  return (
    <div class="prose-code">
      <div class="prose-code-head">
        <span>
          <VisibleText text={language} most={40} />
        </span>
        <button type="button" class="quiet" onClick={() => void copy()}>
          {said ?? S.visible.copy}
        </button>
      </div>
      <pre tabIndex={0}>
        <code>
          <VisibleText text={text} lines most={MOST} />
        </code>
      </pre>
    </div>
  );
}
