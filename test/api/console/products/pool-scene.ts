import { newUuid } from '../../../../domain/shared/ids.ts';
import { createPoolRows } from '../../../support/pool/pool-rows.ts';
import { team, teams } from './scene.ts';

export { team, teams };
export const { finance } = team.members;
export const pool = createPoolRows(teams.api);

/** Each test takes months of its own, here and in all parts: a month and currency is one row. */
export const newPooled = (given = {}) => teams.productOf(team, given);
export const poolOf = ({ slug }: { slug: string }) => `/console/products/${slug}/pool`;
export const read = async (path: string) => (await finance.browser.get(path)).text();

/** So many Members who pay 9.99 and come on these days. */
export const membersOf = (count: number, days: Record<string, number>) =>
  Array.from({ length: count }, () => ({ personId: newUuid(), netMinor: 999, days }));
