import { loadPictures } from '../../../../domain/catalog/pictures/picture.repository.ts';
import { pictureFile } from '../../../support/http/picture-file.ts';
import { teams } from './scene.ts';

const { api } = teams;

type Browser = ReturnType<typeof api.browser>;
type Slug = { slug: string };
type Fields = Record<string, string | File>;

export const pathOf = ({ slug }: Slug) => `/console/products/${slug}/listing`;
export const send = (by: Browser, product: Slug, [form, fields]: [form: string, fields: Fields]) =>
  by.submit('/console/roles', { action: `${pathOf(product)}/${form}`, fields });
export const load = ({ id }: { id: string }) => loadPictures(api.database.em(), id);
export const altsOf = async (product: { id: string }) =>
  (await load(product)).screenshots.map(({ alt }) => alt);

let made = 0;
/** No two have the same bytes. */
export const newPicture = (look: Parameters<typeof pictureFile>[0] = {}) => {
  made += 1;
  return pictureFile({ background: `#${made.toString(16).padStart(6, '0')}`, ...look });
};

export async function builder(given: Parameters<typeof api.seed.product>[0] = {}) {
  const { browser, person } = await teams.signedIn(await api.seed.person({ isBuilder: true }));
  const product = await api.seed.product({ owner: person, ...given });
  const add = async (alt: string, screenshot?: File) =>
    send(browser, product, [
      'screenshots',
      { alt, screenshot: screenshot ?? (await newPicture()) },
    ]);
  const edit = (fields: Fields) => send(browser, product, ['pictures', fields]);
  return { browser, person, product, add, edit };
}
