// The icon and the screenshots on the page of a listing.
import { html, type HtmlSafeString } from '@prairielearn/html';
import { MOST_SCREENSHOTS, type Pictures } from '../../../domain/catalog/pictures/picture.ts';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import { appIcon } from '../../html/emblems.ts';
import { form, formFields, smallButton, type Draft } from '../../html/form.ts';
import { imagePath } from '../../html/image-path.ts';
import { card } from '../../html/parts/card.ts';
import { fold } from '../../html/parts/fold.ts';
import { named } from '../../html/parts/named.ts';
import { productPath } from '../console-frame.ts';

export type PictureDraft = Draft<'icon' | 'screenshot' | 'alt' | 'alt_text' | 'replacement'> & {
  /** The screenshot that the refused form is of. */
  of?: string;
};

type Props = {
  product: ManagedProduct;
  pictures: Pictures;
  /** The reader may change the pictures. */
  canEdit: boolean;
  draft: PictureDraft | null;
  formToken: string;
};

export function picturesCards(props: Props): HtmlSafeString {
  return html`<div id="pictures">${iconCard(props)}</div>
    ${screenshotsCard(props)}`;
}

const pathOf = ({ product }: Props, place: string) =>
  `${productPath(product.slug)}/listing/${place}`;

const FORMATS = 'JPEG, PNG or WebP, up to 4 MiB.';

function iconCard(props: Props): HtmlSafeString {
  const { product, pictures, canEdit, draft, formToken: token } = props;
  const hasIcon = pictures.icon !== null;
  const line = hasIcon ? 'Your own picture' : 'Drawn from the name until you upload one';
  const field = formFields(draft)('icon', {
    label: hasIcon ? 'Another icon' : 'Picture',
    type: 'file',
    hint: `${FORMATS} It is cut to a square.`,
  });
  const upload = { action: pathOf(props, 'icon'), token, button: 'Upload icon', isUpload: true };
  const removal = {
    action: pathOf(props, 'pictures'),
    token,
    button: 'Remove icon',
    hidden: { action: 'remove_icon' },
  };
  return card({
    title: 'Icon',
    facts: 'It stands beside the name everywhere',
    body: html`${named({ mark: appIcon(product, 60), name: product.name, line })}
    ${canEdit ? form({ ...upload, fields: [field] }) : ''}
    ${canEdit && hasIcon ? smallButton(removal) : ''}`,
  });
}

function screenshotsCard(props: Props): HtmlSafeString {
  const { pictures, canEdit } = props;
  const { length } = pictures.screenshots;
  return card({
    title: 'Screenshots',
    facts: `${length} of ${MOST_SCREENSHOTS}, the first one large`,
    ...(length > 0 && {
      rows: html`<ul class="rows">
        ${pictures.screenshots.map((_, index) => row(props, index))}
      </ul>`,
    }),
    ...(canEdit && length < MOST_SCREENSHOTS
      ? { body: addForm(props) }
      : length === 0 && { body: html`<p class="muted">No screenshots yet.</p>` }),
  });
}

function addForm(props: Props): HtmlSafeString {
  const fields = formFields(props.draft);
  return form({
    action: pathOf(props, 'screenshots'),
    token: props.formToken,
    button: 'Upload screenshot',
    isUpload: true,
    fields: [
      fields('screenshot', { label: 'Picture', type: 'file', hint: FORMATS }),
      fields('alt', {
        label: 'What it shows',
        hint: 'In one sentence, for people who do not see it.',
      }),
    ],
  });
}

function row(props: Props, index: number): HtmlSafeString {
  const { pictures, canEdit } = props;
  const { hash, alt } = pictures.screenshots[index]!;
  return html`<li class="request" data-screenshot="${hash}">
    <div><img src="${imagePath(hash, 640)}" alt="${alt}" /></div>
    <div>${canEdit ? rowForms(props, index) : alt}</div>
  </li>`;
}

function rowForms(props: Props, index: number): HtmlSafeString {
  const { pictures, draft, formToken: token } = props;
  const { screenshots } = pictures;
  const { hash, alt } = screenshots[index]!;
  const name = `screenshot ${index + 1}`;
  const fields = formFields(draft?.of === hash ? draft : null, { alt_text: alt });
  const action = pathOf(props, 'pictures');
  const press = (edit: 'earlier' | 'later' | 'remove', button: string, label: string) =>
    smallButton({ action, token, button, label, hidden: { action: edit, screenshot: hash } });
  const replacement = fields('replacement', { label: `New picture for ${name}`, type: 'file' });
  return html`${form({
      action,
      token,
      button: `Describe ${name}`,
      hidden: { action: 'describe', screenshot: hash },
      fields: [fields('alt_text', { label: `What ${name} shows` })],
    })}
    <div class="actions">
      ${index === 0 ? '' : press('earlier', 'Earlier', `Show ${name} earlier`)}
      ${index === screenshots.length - 1 ? '' : press('later', 'Later', `Show ${name} later`)}
      ${press('remove', 'Remove', `Remove ${name}`)}
    </div>
    ${fold({
      summary: 'Replace',
      about: name,
      isOpen: Boolean(replacement.problem),
      content: form({
        action: `${pathOf(props, 'screenshots')}/replace`,
        token,
        button: `Replace ${name}`,
        isUpload: true,
        hidden: { screenshot: hash },
        fields: [replacement],
      }),
    })}`;
}
