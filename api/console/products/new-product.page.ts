import { html } from '@prairielearn/html';
import type { View } from '../../route.ts';
import { form } from '../../html/form.ts';
import { consoleView } from '../console-frame.ts';

export type ProductValues = { name: string; slug: string; tagline: string; owner: string };
export type ProductProblems = Partial<Record<keyof ProductValues, string | null>>;

/** The owner of a product that is the person's own, as the form calls them. */
export const ME = 'me';

type Props = {
  values: ProductValues;
  problems: ProductProblems;
  /** Those for which the person may make products. */
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
      button: 'Make the draft',
      fields: [
        { label: 'Name', name: 'name', value: values.name, problem: problems.name },
        {
          label: 'Slug',
          name: 'slug',
          value: values.slug,
          hint: 'Its address here: 3 to 48 lower-case letters, digits and dashes.',
          problem: problems.slug,
        },
        {
          label: 'Tagline',
          name: 'tagline',
          value: values.tagline,
          hint: 'One sentence, 140 characters at most.',
          problem: problems.tagline,
        },
        {
          label: 'Belongs to',
          name: 'owner',
          value: values.owner,
          options: [
            { value: ME, label: 'me alone' },
            ...teams.map(({ id, name }) => ({ value: id, label: name })),
          ],
          problem: problems.owner,
        },
      ],
    })}
  </div>`;
  return consoleView({ title: 'New product', content, unread }, '/console');
}
