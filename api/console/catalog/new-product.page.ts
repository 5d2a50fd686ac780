import { html } from '@prairielearn/html';
import type { View } from '../../http/route.ts';
import { form } from '../../html/form.ts';
import { consoleView } from '../console-frame.ts';

export type ProductValues = { name: string; slug: string; tagline: string; owner: string };
export type ProductProblems = Partial<Record<keyof ProductValues, string | null>>;

/** The owner of a product that is the person's own, as the form calls them. */
export const ME = 'me';

type Props = {
  values: ProductValues;
  problems: ProductProblems;
  /** The teams for which the person may create products. */
  teams: { id: string; name: string }[];
  unread: number;
  formToken: string;
};

export function newProductPage(props: Props): View {
  const { values, problems, teams, unread, formToken } = props;
  const content = html`<div class="slim">
    ${form({
      action: '/console/new-product',
      token: formToken,
      button: 'Create product',
      fields: [
        { label: 'Name', name: 'name', value: values.name, problem: problems.name },
        {
          label: 'Slug',
          name: 'slug',
          value: values.slug,
          hint: 'Part of the URL: 3 to 48 lowercase letters, digits and dashes. Leave it empty to get one from the name.',
          isRequired: false,
          problem: problems.slug,
        },
        {
          label: 'Tagline',
          name: 'tagline',
          value: values.tagline,
          hint: 'One sentence of at most 140 characters.',
          problem: problems.tagline,
        },
        {
          label: 'Owner',
          name: 'owner',
          value: values.owner,
          options: [
            { value: ME, label: 'Personal' },
            ...teams.map(({ id, name }) => ({ value: id, label: name })),
          ],
          problem: problems.owner,
        },
      ],
    })}
  </div>`;
  return consoleView({ title: 'Create product', content, unread }, '/console');
}
