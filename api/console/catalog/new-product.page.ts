import { html } from '@prairielearn/html';
import type { View } from '../../http/route.ts';
import { form, formFields, type Draft } from '../../html/form.ts';
import { card } from '../../html/parts/card.ts';
import { ME, type ConsoleScope } from '../console-scope.ts';
import { consoleView } from '../team-frame.ts';

export type ProductDraft = Draft<'name' | 'slug' | 'tagline' | 'owner'>;

type Props = {
  draft: ProductDraft;
  /** The teams for which the person may create products. */
  teams: { id: string; name: string }[];
  scope: ConsoleScope;
  formToken: string;
};

export function newProductPage(props: Props): View {
  const { draft, teams, scope, formToken } = props;
  const fields = formFields(draft);
  const content = html`<div class="slim">
    ${card({
      body: form({
        action: '/console/new-product',
        token: formToken,
        button: 'Create draft',
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
      }),
      foot: 'A draft is seen by you and your team alone, until you list it.',
    })}
  </div>`;
  return consoleView({ title: 'New product', content, scope }, '/console/new-product');
}
