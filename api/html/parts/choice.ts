// Few choices, all of them in sight.
import { html, type HtmlSafeString } from '@prairielearn/html';

type Option = { value: string; label: string; hint?: string; price?: HtmlSafeString };

type Choice = { legend: string; name: string; options: readonly Option[]; value: string };

/** Two to four short choices beside each other. */
export function segment({ legend, name, options, value }: Choice): HtmlSafeString {
  return html`<fieldset>
    <legend>${legend}</legend>
    <div class="segment">
      ${options.map((option) => html`<label>${radio(name, option, value)}${option.label}</label>`)}
    </div>
  </fieldset>`;
}

/** Shows short choices between pages: links, of which one is the current one. */
export function segmentLinks(
  label: string,
  links: readonly { path: string; label: string; isCurrent: boolean }[],
): HtmlSafeString {
  return html`<nav class="segment" aria-label="${label}">
    ${links.map(
      ({ path, label: words, isCurrent }) =>
        html`<a href="${path}" ${isCurrent ? html`aria-current="true"` : ''}>${words}</a>`,
    )}
  </nav>`;
}

/** Offers below each other, with what they cost. */
export function picks({ legend, name, options, value }: Choice): HtmlSafeString {
  return html`<fieldset>
    <legend>${legend}</legend>
    <div class="picks">
      ${options.map(
        (option) =>
          html`<label
            >${radio(name, option, value)}<span>${option.label}</span>${option.price ?? html`<span></span>`}${
              option.hint === undefined ? '' : html`<small>${option.hint}</small>`
            }</label
          >`,
      )}
    </div>
  </fieldset>`;
}

function radio(name: string, option: Option, value: string): HtmlSafeString {
  const isChosen = option.value === value ? html`checked` : '';
  return html`<input type="radio" name="${name}" value="${option.value}" ${isChosen} />`;
}
