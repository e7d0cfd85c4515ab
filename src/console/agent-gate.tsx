/**
 * `<agent-gate base-url="https://animus.example/" ask="ID">`: the card of one request in another page. Its token is a property, so that it is in no attribute:
 * `element.token = '…'`. It sends the event `decided` with `{is, text}` when the request was decided, here or elsewhere.
 */
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type Client, createClient } from '../client/client.ts';
import baseStyle from './styles/base.css?inline';
import piecesStyle from './styles/pieces.css?inline';
import tokens from './styles/tokens.css?inline';
import askStyle from './ui/ask/ask.css?inline';
import { AskCard } from './ui/ask/ask-card.tsx';
import type { Decided } from './ui/ask/decide.ts';
import { MOST_ASKS, nextAsk, type OneAsk, readAsk } from './ui/ask/one-ask.ts';
import { startClock } from './ui/clock.ts';
import diffStyle from './ui/diff.css?inline';
import jsonStyle from './ui/json.css?inline';
import { Problem } from './ui/problem.tsx';
import textStyle from './ui/text.css?inline';
import visibleStyle from './ui/visible.css?inline';
import { S } from './words/strings.ts';

/** How often it looks whether somebody else has decided. */
const LOOK_MS = 10_000;

class AgentGate extends HTMLElement {
  static readonly observedAttributes = ['base-url', 'ask'];
  #token = '';

  get token(): string {
    return this.#token;
  }
  set token(token: string) {
    this.#token = token;
    this.#draw();
  }
  connectedCallback(): void {
    if (this.shadowRoot === null) this.attachShadow({ mode: 'open' }).adoptedStyleSheets = [style()];
    this.#draw();
  }
  disconnectedCallback(): void {
    if (this.shadowRoot !== null) render(null, this.shadowRoot);
  }
  attributeChangedCallback(): void {
    this.#draw();
  }
  #draw(): void {
    const [baseUrl, ask] = [this.getAttribute('base-url'), this.getAttribute('ask')];
    if (!this.isConnected || this.shadowRoot === null || baseUrl === null || ask === null || this.#token === '') return;
    const client = createClient({ baseUrl: new URL(baseUrl, document.baseURI), token: this.#token, retries: 2 });
    const onDecided = (detail: Decided) => this.dispatchEvent(new CustomEvent('decided', { detail }));
    const key = `${baseUrl} ${ask} ${this.#token}`;
    render(<Gate key={key} client={client} id={ask} onDecided={onDecided} />, this.shadowRoot);
  }
}

/** One for all elements. What is said of the page is said of the element. */
let shared: CSSStyleSheet | null = null;
function style(): CSSStyleSheet {
  if (shared !== null) return shared;
  const all = [tokens, baseStyle, piecesStyle, visibleStyle, textStyle, jsonStyle, diffStyle, askStyle].join('\n');
  shared = new CSSStyleSheet();
  shared.replaceSync(`${all.replaceAll(/(^|\})\s*(?::root|html)(?=\s*\{)/g, '$1:host')}:host{display:block}`);
  return shared;
}

interface GateProps {
  readonly client: Client;
  readonly id: string;
  readonly onDecided: (decided: Decided) => void;
}

function Gate({ client, id, onDecided }: GateProps) {
  const [shown, setShown] = useState<OneAsk>({ is: 'loading' });
  const [problem, setProblem] = useState<string | null>(null);
  const isOver = shown.is === 'over';
  useEffect(() => {
    if (isOver) return undefined;
    const stop = new AbortController();
    const look = async () => {
      try {
        const read = await readAsk(client, id, stop.signal);
        setShown((before) => nextAsk(before, read));
        setProblem(null);
      } catch (error) {
        if (!stop.signal.aborted) setProblem(error instanceof Error ? error.message : String(error));
      }
    };
    void look();
    const lookIfSeen = () => document.visibilityState === 'visible' && void look();
    const timer = setInterval(lookIfSeen, LOOK_MS);
    document.addEventListener('visibilitychange', lookIfSeen);
    return () => {
      stop.abort();
      clearInterval(timer);
      document.removeEventListener('visibilitychange', lookIfSeen);
    };
  }, [isOver]);
  useEffect(() => {
    if (shown.is === 'over') onDecided(shown.decided);
  }, [shown.is]);
  const onResult = (decided: Decided) => {
    if (decided.is !== 'failed') setShown({ is: 'over', decided });
  };
  return (
    <>
      {problem !== null && <Problem text={problem} />}
      {shown.is === 'loading' && problem === null && <p class="faint">{`${S.common.loading} …`}</p>}
      {shown.is === 'unlisted' && <p class="faint">{S.inbox.unlisted(MOST_ASKS)}</p>}
      {shown.is === 'over' && <p role="status">{shown.decided.text}</p>}
      {shown.is === 'waiting' && (
        <AskCard ask={shown.ask} client={client} mayNot={shown.mayNot} workHref={() => null} onDecided={onResult} />
      )}
    </>
  );
}

if (customElements.get('agent-gate') === undefined) {
  startClock();
  customElements.define('agent-gate', AgentGate);
}
