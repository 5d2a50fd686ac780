import { html, unsafeHtml } from '@prairielearn/html';
import type { View } from '../http/route.ts';
import { findGuide, SHELVES, type Guide, type Origins } from './render-guide.ts';

export function guidesPage(origins: Origins): View {
  return {
    title: 'Documentation',
    content: html`<h1>Documentation</h1>
      <p>
        <a href="/console">Open your product in the console</a> and choose <em>Integrate</em>: it
        has every step with your ids filled in.
      </p>
      <p>
        The <a href="/docs/reference">API reference</a> lists every endpoint and event. The guides
        say how to use them.
      </p>
      ${SHELVES.map(
        ([reader, guides]) =>
          html`<h2>${reader}</h2>
            <ul>
              ${guides.map(
                (name) =>
                  html`<li><a href="/docs/${name}">${findGuide(name, origins)!.title}</a></li>`,
              )}
            </ul>`,
      )}`,
  };
}

export function guidePage({ title, html: content }: Guide): View {
  return {
    title,
    content: html`<p><a href="/docs">Documentation</a></p>
      <article class="guide">${unsafeHtml(content)}</article>`,
  };
}
