/** The thread of web_fetch: one page, one text. */
import { parentPort, workerData } from 'node:worker_threads';
import { htmlText } from './html-text.ts';

const { html, base } = workerData as { readonly html: string; readonly base: string };
// A port between threads, not a window: there is no origin.
// oxlint-disable-next-line unicorn/require-post-message-target-origin
parentPort?.postMessage(htmlText(html, base));
