/** The title of the browser's tab: the page, or what is on it, and how much waits for a person. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { needs } from './needs.ts';
import { titleWith } from './title-with.ts';

const shown = signal('');

/** What is shown; a part of a page may say it better than the page. */
export function useTitle(text: string): void {
  useEffect(() => {
    shown.value = text;
  }, [text]);
}

/** `instead`: what is shown in front of the page. */
export function useDocumentTitle(instead: string | null): void {
  const title = instead === null ? titleWith(shown.value, needs.value ?? 0) : titleWith(instead, 0);
  useEffect(() => {
    document.title = title;
  }, [title]);
}
