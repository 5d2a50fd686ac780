export const START = '00000000-0000-0000-0000-000000000000';

/** A dispatcher goes round all endpoints with first attempts, one page of endpoints with each claim. */
type RoundProgress = {
  /** The next page begins after this endpoint. */
  afterEndpointId: string;
  /** A page since the start held more than the limit of its claim. */
  hasLeftSome: boolean;
};

export const ROUND_START: RoundProgress = { afterEndpointId: START, hasLeftSome: false };

export type ClaimedPage = {
  pageSize: number;
  /** The endpoints of the page, in their order. */
  visited: readonly string[];
  /** The claim took as many first attempts as it was allowed to. */
  isFull: boolean;
  /** Another dispatcher was faster with some of them. */
  hasLostSome: boolean;
};

/**
 * Returns where the next page begins, and whether it may be claimed at once: when every endpoint
 * was visited and nothing was left, the rest has to wait for its time or for an endpoint's limit.
 */
export function advanceRound(
  { hasLeftSome }: RoundProgress,
  { pageSize, visited, isFull, hasLostSome }: ClaimedPage,
): { next: RoundProgress; isMore: boolean } {
  const isLastPage = visited.length < pageSize;
  const isEnd = isLastPage && !isFull;
  const next = {
    afterEndpointId: isLastPage ? START : visited.at(-1)!,
    hasLeftSome: !isEnd && (hasLeftSome || isFull),
  };
  return { next, isMore: !isEnd || hasLeftSome || hasLostSome };
}
