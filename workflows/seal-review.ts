import { continueAsNew, workflowInfo } from '@temporalio/workflow';
import { reviews } from './activities.ts';
import type { SealReviewInput } from './contracts.ts';
import { updateVisibility } from './visibility.ts';

const START: SealReviewInput = {
  week: null,
  after: null,
  reviewed: 0,
  earned: 0,
  noticed: 0,
  lost: 0,
};

/** Reviews the quality seal of every listed product, page by page; a repeated run changes nothing. */
export async function sealReview(input: SealReviewInput = START): Promise<SealReviewInput> {
  let done = input;
  do {
    const summary = `after ${done.reviewed} products`;
    const { week, after } = done;
    const page = await reviews.reviewSeals.executeWithOptions({ summary }, [{ week, after }]);
    done = {
      week: page.week,
      after: page.after,
      reviewed: done.reviewed + page.reviewed,
      earned: done.earned + page.earned,
      noticed: done.noticed + page.noticed,
      lost: done.lost + page.lost,
    };
    show(done);
    if (done.after !== null && workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof sealReview>(done);
    }
  } while (done.after !== null);
  return done;
}

function show({ week, after, reviewed, earned, noticed, lost }: SealReviewInput): void {
  const status = after === null ? 'reviewed' : 'reviewing';
  const counts = `${earned} earned, ${noticed} noticed, ${lost} lost`;
  updateVisibility({
    status,
    details: `${status}: week of ${week}, ${reviewed} products, ${counts}`,
  });
}
