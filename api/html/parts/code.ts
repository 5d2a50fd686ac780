import { html, type HtmlSafeString } from '@prairielearn/html';
import { icon } from '../icon.ts';

type Program = { language: string; text: HtmlSafeString | string };

type Code = {
  /** Names the code within its page. */
  id: string;
  /** One program in several languages, the first one shown; or one with a title. */
  programs: readonly [Program, ...Program[]];
};

/** Code to copy. The language is chosen without script; the copy button is shown by its own. */
export function code({ id, programs }: Code): HtmlSafeString {
  const [only, ...others] = programs;
  return html`<div class="code" id="${id}">
    <header>
      ${
        others.length === 0
          ? html`<span>${only.language}</span>`
          : programs.map(
              ({ language }, index) =>
                html`<label
                  ><input
                    type="radio"
                    name="${id}"
                    ${index === 0 ? html`checked` : ''}
                  />${language}</label
                >`,
            )
      }
      ${copyButton(id)}
    </header>
    ${programs.map(
      ({ language, text }, index) =>
        html`<pre
          id="${id}-${index + 1}"
          tabindex="0"
          aria-label="${language}"
        ><code>${text}</code></pre>`,
    )}
  </div>`;
}

function copyButton(id: string): HtmlSafeString {
  return html`<span class="copy"
    ><button type="button" class="quiet small" data-copy="${id}" aria-label="Copy code" hidden>
      ${icon('copy')}Copy
    </button>
    <small role="status"></small
  ></span>`;
}
