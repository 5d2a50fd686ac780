import { html, type HtmlSafeString } from '@prairielearn/html';
import { gate } from './emblems.ts';
import { icon } from './icon.ts';
import { formToken } from './layout.ts';
import { button as submit, type ButtonKind } from './parts/button.ts';

export type Field = {
  label: string;
  name: string;
  type?: 'text' | 'email' | 'password' | 'file' | 'url' | 'date' | 'datetime-local';
  value?: string;
  autocomplete?: string;
  hint?: string;
  /** The validation message of the field. */
  problem?: string | null | undefined;
  isRequired?: boolean;
  /** Marks the field as invalid; the message stands in `#problem`. */
  isInvalid?: boolean;
  /** Text of several lines. */
  rows?: number;
  /** The unit of the value, such as a currency. */
  unit?: string;
  /** Its label says so. */
  isOptional?: boolean;
  /** A way out at the right of the label, read after the field. */
  beside?: { path: string; text: string; label: string };
};

type Select = {
  label: string;
  name: string;
  options: { value: string; label: string }[];
  value?: string;
  hint?: string;
  problem?: string | null | undefined;
  /** Stands above a list with its value alone in sight. */
  isBare?: boolean;
};

type Form = {
  action: string;
  token: string;
  button: string;
  fields?: (Field | Select)[];
  /** Stands between the fields and the button. */
  note?: HtmlSafeString | '';
  /** Values that the page knows. */
  hidden?: Record<string, string>;
  isDangerous?: boolean;
  /** What the page is for. */
  isMain?: boolean;
  /** Sends files, too. */
  isUpload?: boolean;
};

/** A form with the token that proves where it came from; works without JavaScript. */
export function form({ action, token, button, fields = [], ...more }: Form): HtmlSafeString {
  const hidden = Object.entries(more.hidden ?? {});
  const encoding = more.isUpload ? html`enctype="multipart/form-data"` : '';
  return html`<form method="post" action="${action}" ${encoding}>
    ${formToken(token)}
    ${hidden.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    ${fields.map((each) => ('options' in each ? select(each) : field(each)))} ${more.note ?? ''}
    ${submit({ text: button, kind: kindOf(more) })}
  </form>`;
}

function kindOf({ isDangerous, isMain }: Pick<Form, 'isDangerous' | 'isMain'>): ButtonKind {
  return isDangerous ? 'danger' : isMain ? 'primary' : 'secondary';
}

/** What was typed into a form and cannot be saved, and why, by the names of its fields. */
export type Draft<Name extends string> = {
  typed: Partial<Record<Name, string>>;
  problems: Partial<Record<Name, string | null>>;
};

type DraftProp = 'name' | 'value' | 'problem';

/** Makes the fields of a form, each with its value, typed or initial, and with its problem. */
export function formFields<Name extends string>(
  draft: Draft<Name> | null | undefined,
  initial: Partial<Record<NoInfer<Name>, string>> = {},
) {
  return <Props extends Omit<Field, DraftProp> | Omit<Select, DraftProp>>(
    name: Name,
    props: Props,
  ) => ({
    ...props,
    name,
    value: draft?.typed[name] ?? initial[name] ?? '',
    problem: draft?.problems[name],
  });
}

type SmallButton = Pick<Form, 'action' | 'token' | 'hidden' | 'button'> & {
  /** The accessible name, where several buttons have the same text. */
  label?: string;
  isMain?: boolean;
  isDangerous?: boolean;
};

/** A form with a single button, small unless it is the main one. */
export function smallButton(props: SmallButton) {
  const hidden = Object.entries(props.hidden ?? {});
  return html`<form class="inline" method="post" action="${props.action}">
    ${formToken(props.token)}
    ${hidden.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    ${submit({
      text: props.button,
      kind: kindOf(props),
      ...(props.label !== undefined && { label: props.label }),
      ...(!props.isMain && { size: 'small' as const }),
    })}
  </form>`;
}

/** A labelled input, or with `rows` a text of several lines. */
export function field(props: Field): HtmlSafeString {
  const { label, name, hint, problem, unit, isOptional, beside } = props;
  const input =
    unit === undefined
      ? control(props)
      : html`<span class="with-unit">${control(props)}<span class="unit">${unit}</span></span>`;
  const labelled = html`<label>
    ${label} ${isOptional ? html`<span class="optional">optional</span>` : ''} ${input}
    ${problem ? html`<small id="${name}-problem" role="alert">${problem}</small>` : ''}
    ${hint && !problem ? html`<small id="${name}-hint">${hint}</small>` : ''}
  </label>`;
  if (beside === undefined) return labelled;
  const { path, text } = beside;
  return html`<div class="beside-label">
    ${labelled} <a href="${path}" aria-label="${beside.label}">${text}</a>
  </div>`;
}

function control(props: Field): HtmlSafeString {
  const { name, type = 'text', value = '', autocomplete = 'off', rows, problem } = props;
  const about = describedBy(props);
  const state = html`${props.isRequired === false ? '' : html`required`}
  ${problem || props.isInvalid ? html`aria-invalid="true"` : ''}
  ${about === null ? '' : html`aria-describedby="${about}"`}`;
  if (rows !== undefined) {
    // Browsers drop the first line break, which may be the text's own.
    return html`<textarea name="${name}" rows="${rows}" ${state}>${'\n'}${value}</textarea>`;
  }
  return html`<input
    type="${type}"
    name="${name}"
    value="${type === 'password' ? '' : value}"
    autocomplete="${autocomplete}"
    ${state}
  />`;
}

type SearchField = {
  label: string;
  name: string;
  value: string;
  maxLength: number;
  placeholder?: string;
  /** The pattern that browsers check. */
  pattern?: string;
  isRequired?: boolean;
  /** Stands above a list with its placeholder alone in sight. */
  isBare?: boolean;
};

/** What a list is searched for: a name or an ID, which no browser completes or corrects. */
export function searchField(props: SearchField): HtmlSafeString {
  const { label, name, value, maxLength, placeholder, pattern, isRequired = false } = props;
  return html`<label ${props.isBare ? html`class="find"` : ''}>
    ${props.isBare ? icon('search') : label}
    <input
      ${props.isBare ? html`aria-label="${label}"` : ''}
      name="${name}"
      value="${value}"
      ${placeholder === undefined ? '' : html`placeholder="${placeholder}"`}
      ${pattern === undefined ? '' : html`pattern="${pattern}"`}
      maxlength="${maxLength}"
      ${isRequired ? html`required` : ''}
      autocomplete="off"
      autocapitalize="none"
      spellcheck="false"
    />
  </label>`;
}

type FilterForm = {
  path: string;
  fields: HtmlSafeString[];
  button?: string;
  /** Fewer rows are shown than there are, and all can be shown again. */
  isFiltered?: boolean;
};

/** The form of what a list shows: its values stand in the address. */
export function filterForm({ path, fields, button = 'Filter', isFiltered = false }: FilterForm) {
  return html`<search>
    <form class="search" method="get" action="${path}">
      ${fields} ${submit({ text: button })}
      ${isFiltered ? submit({ text: 'Clear filters', kind: 'quiet', href: path }) : ''}
    </form>
  </search>`;
}

/** An instant without a zone, which the label says is UTC; empty, there is none. */
export const INSTANT = { type: 'datetime-local', isRequired: false } as const;

/** One of several that the page knows. */
export function select(props: Select): HtmlSafeString {
  const { label, name, options, value, problem } = props;
  const about = describedBy(props);
  return html`<label ${props.isBare ? html`class="find"` : ''}>
    ${props.isBare ? '' : label}
    <select
      name="${name}"
      ${props.isBare ? html`aria-label="${label}"` : ''}
      ${problem ? html`aria-invalid="true"` : ''}
      ${about === null ? '' : html`aria-describedby="${about}"`}
    >
      ${options.map(
        (option) =>
          html`<option value="${option.value}" ${option.value === value ? html`selected` : ''}>
            ${option.label}
          </option>`,
      )}
    </select>
    ${about === null ? '' : remark(about, props)}
  </label>`;
}

function remark(id: string, { problem, hint }: Pick<Field, 'problem' | 'hint'>) {
  return problem
    ? html`<small id="${id}" role="alert">${problem}</small>`
    : html`<small id="${id}">${hint}</small>`;
}

function describedBy({ name, problem, hint, isInvalid }: Omit<Field, 'type'>): string | null {
  if (problem) return `${name}-problem`;
  if (isInvalid) return 'problem';
  return hint ? `${name}-hint` : null;
}

/** The page before an action that cannot be undone: the consequences, and a cancel link first. */
export function confirmation(
  props: Form & { sentences: string[]; wayOut: { path: string; label: string } },
): HtmlSafeString {
  const { sentences, wayOut } = props;
  return html`
    ${sentences.map((sentence) => html`<p>${sentence}</p>`)}
    <p>${submit({ text: wayOut.label, href: wayOut.path })}</p>
    ${form({ ...props, isDangerous: true })}
  `;
}

export type Empty = { title?: string; sentence: string; link?: { path: string; label: string } };

/** Stands where a list has no rows: why, and the way on. With a title it fills the page. */
export function emptyState({ title, sentence, link }: Empty): HtmlSafeString {
  if (title === undefined)
    return html`<p class="muted">
      ${sentence} ${link ? html`<a href="${link.path}">${link.label}</a>` : ''}
    </p>`;
  return html`<section class="card empty">
    ${gate('open')}
    <h2>${title}</h2>
    <p>${sentence}</p>
    ${
      link
        ? html`<div class="actions">
            <a class="button primary" href="${link.path}">${link.label}</a>
          </div>`
        : ''
    }
  </section>`;
}
