import { html } from '@prairielearn/html';
import type { View } from '../../http/route.ts';
import { form, formFields, type Draft } from '../../html/form.ts';
import { consoleView } from '../console-frame.ts';

export type ProductDraft = Draft<'name' | 'slug' | 'tagline' | 'owner'>;

/** The owner of a product that is the person's own, as the form calls them. */
export const ME = 'me';

type Props = {
  draft: ProductDraft;
  /** The teams for which the person may create products. */
  teams: { id: string; name: string }[];
  unread: number;
  formToken: string;
};

export function newProductPage(props: Props): View {
  const { draft, teams, unread, formToken } = props;
  const fields = formFields(draft);
  const content = html`<div class="slim">
    ${form({
      action: '/console/new-product',
      token: formToken,
      button: 'Create product',
      isMain: true,
      fields: [
        fields('name', { label: 'Name' }),
        fields('slug', {
          label: 'Slug',
          hint: 'Part of the URL: 3 to 48 lowercase letters, digits and dashes. Leave it empty to get one from the name.',
          isRequired: false,
        }),
        fields('tagline', { label: 'Tagline', hint: 'One sentence of at most 140 characters.' }),
        fields('owner', {
          label: 'Owner',
          options: [
            { value: ME, label: 'Personal' },
            ...teams.map(({ id, name }) => ({ value: id, label: name })),
          ],
        }),
      ],
    })}
  </div>`;
  return consoleView({ title: 'Create product', content, unread }, '/console');
}
