import { z } from 'zod';
import { findPlaces } from '../../../domain/search/places.repository.ts';
import { LONGEST_REFERENCE } from '../../../domain/search/pasted-reference.ts';
import { SCHEDULES } from '../../../workflows/contracts.ts';
import { given } from '../../http/fields.ts';
import { redirect } from '../../http/response.ts';
import { defineRoute, OPERATOR_PAGE } from '../../http/route.ts';
import { ALERTS, FIND } from '../operator.page.ts';
import { showOperatorPage } from '../show-operator-page.ts';
import { foundPage, placePath } from './find.page.ts';

/** Temporal's pages link here by the workflow's id. What a schedule starts tells by alerts. */
const find = defineRoute({
  ...OPERATOR_PAGE,
  path: FIND,
  summary: 'Find a thing by its public id, its name or its workflow',
  input: { query: z.object({ q: given(LONGEST_REFERENCE).trim().default('') }) },
  async handler(context) {
    const { q: typed } = context.query;
    if (SCHEDULES.some(({ workflowType }) => workflowType === typed)) return redirect(ALERTS);
    const places = await findPlaces(context.services.database.em(), typed);
    const [place, ...others] = places;
    if (place && others.length === 0) return redirect(placePath(place));
    return showOperatorPage(context, foundPage({ typed, places }));
  },
});

export const routes = [find];
