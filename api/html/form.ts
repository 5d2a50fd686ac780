import { html, type HtmlSafeString } from '@prairielearn/html';
import { formToken } from './parts/form-token.ts';
import { button as submit, type ButtonKind } from './parts/button.ts';
import { field, select, type Field, type Select } from './parts/field.ts';

export type Form = {
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
  size?: 'small' | 'medium';
  /** Leads off the site. */
  isExternal?: boolean;
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
      size: props.size ?? (props.isMain ? 'medium' : 'small'),
      isExternal: props.isExternal ?? false,
    })}
  </form>`;
}
