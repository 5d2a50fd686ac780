import { listProductsOf } from '../../../domain/catalog/product.repository.ts';
import {
  listMonthsOfUse,
  readMonthOfUse,
} from '../../../domain/usage/history/usage-days.repository.ts';
import { now } from '../../../platform/database/database.ts';
import { page } from '../../http/response.ts';
import { defineRoute, SESSION_PAGE } from '../../http/route.ts';
import { loadTeam, teamRef } from '../teams/managed-team.ts';
import { teamUsagePage } from './team-usage.page.ts';
import { listMonths, monthQuery, requireMonth } from '../requested-month.ts';
import { toDay } from '../../../domain/shared/instant.ts';

/** The most products that are counted for one page. */
const MOST_PRODUCTS = 50;

const showTeamUsage = defineRoute({
  ...SESSION_PAGE,
  path: '/console/teams/:team/usage',
  summary: "Show the usage of a team's products",
  input: { params: teamRef, query: monthQuery },
  async handler(context) {
    const team = await loadTeam(context);
    const em = context.services.database.em();
    const at = await now(em);
    const { name: month } = requireMonth(context.query.month, at);
    const products = await listProductsOf(em, context.currentUser.personId);
    const ofTeam = products.filter(({ ownerTeamId }) => ownerTeamId === team.id);
    const known = new Set([month]);
    const used = [];
    for (const { id: productId, slug, name, iconHash } of ofTeam.slice(0, MOST_PRODUCTS)) {
      for (const summed of await listMonthsOfUse(em, productId)) known.add(summed);
      const usage = await readMonthOfUse(em, { productId, month, today: toDay(at) });
      used.push({ slug, name, iconHash, usage });
    }
    const months = listMonths(at, [...known]);
    const others = ofTeam.length - used.length;
    return page(context, teamUsagePage({ team, month, months, products: used, others }));
  },
});

export const routes = [showTeamUsage];
