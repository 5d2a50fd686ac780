// Where an import begins: the address of a page or of a repository.
import { html, type HtmlSafeString } from '@prairielearn/html';
import { formFields, type Draft } from '../../html/form.ts';
import { button } from '../../html/parts/button.ts';
import { card } from '../../html/parts/card.ts';
import { field } from '../../html/parts/field.ts';
import { formToken } from '../../html/parts/form-token.ts';
import { productPath } from '../console-frame.ts';

export type ImportDraft = Draft<'address'>;

type Props = {
  slug: string;
  title?: string;
  /** The address that stands in the form at first. */
  address?: string | null;
  draft?: ImportDraft | null;
  formToken: string;
};

export const importsPath = (slug: string) => `${productPath(slug)}/imports`;

const ADDRESS = {
  label: "Address of your product's page, or of its repository",
  type: 'url',
  hint: 'We read it as any visitor would. Repositories are on GitHub, GitLab or Codeberg.',
} as const;

export function importCard({ slug, title, address, draft = null, formToken: token }: Props) {
  const make = formFields(draft, { address: address ?? '' });
  return card({
    title: title ?? 'Import from your site',
    facts: 'Nothing changes until you apply it',
    body: html`<form method="post" action="${importsPath(slug)}">
      ${formToken(token)} ${field(make('address', ADDRESS))}
      <div class="buttons">${readButton('page')} ${readButton('repository')}</div>
    </form>`,
  });
}

const READ_WORDS = { page: 'Read page', repository: 'Read repository' };

function readButton(kind: keyof typeof READ_WORDS): HtmlSafeString {
  return button({ text: READ_WORDS[kind], name: 'kind', value: kind });
}
