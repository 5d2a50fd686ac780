// Where the five steps lead once they are done.
import type { HtmlSafeString } from '@prairielearn/html';
import type { KeyView } from '../../../domain/catalog/keys/api-key.repository.ts';
import { card } from '../../html/parts/card.ts';
import { needs, type Need } from '../../html/parts/needs.ts';
import { productPath } from '../console-frame.ts';

type Props = { product: { slug: string }; keys: KeyView[] };

export function whatNext({ product, keys }: Props): HtmlSafeString {
  const path = productPath(product.slug);
  const next: (Need | false)[] = [
    !keys.some(({ mode }) => mode === 'live') && {
      tone: 'plain',
      title: 'Create a live key',
      line: 'A test key records nothing. Your server needs a live one before people buy.',
      action: { path: `${path}/keys`, label: 'API keys' },
    },
    {
      tone: 'plain',
      title: 'Put it on sale',
      line: 'The overview says what is still missing before people can buy.',
      action: { path, label: 'See overview' },
    },
    {
      tone: 'plain',
      title: 'Watch it work',
      line: 'Diagnostics shows which requests and deliveries fail, and why.',
      action: { path: `${path}/diagnostics`, label: 'See diagnostics' },
    },
  ];
  return card({ title: 'What next', rows: needs(next.filter((each) => each !== false)) });
}
